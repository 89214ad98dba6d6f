#include "common/ann_job.hpp"

#include <ANN/ANN.h>
#include <cmath>
#include <vector>

#include "common/spread.hpp"

namespace kann::bench {
namespace {

std::vector<ANNcoord> doubles_of(const Points& points) {
  const auto& floats = std::get<Array<float>>(points.coordinates);
  return {floats.begin(), floats.end()};
}

}  // namespace

struct AnnJob::State {
  std::vector<ANNcoord> data, queries;
  std::vector<ANNpoint> rows;
  std::unique_ptr<ANNkd_tree> tree;
  int k = 0;
  std::vector<ANNidx> ids;  ///< of the last query
  std::vector<ANNdist> sq_dists;
};

AnnJob::AnnJob(const Points& data, const Points& queries)
    : state_(new State{doubles_of(data), doubles_of(queries), {}, {}, 0, {}, {}}) {
  for (std::size_t i = 0; i < state_->data.size(); i += 3) state_->rows.push_back(&state_->data[i]);
}

AnnJob::~AnnJob() {
  state_->tree.reset();
  annClose();  // frees the leaf that all trees share
}

double AnnJob::build() {
  state_->tree.reset();
  return timed([&] {
    state_->tree = std::make_unique<ANNkd_tree>(state_->rows.data(), static_cast<int>(state_->rows.size()), 3);
  });
}

double AnnJob::query(int k, std::int64_t count) {
  const auto all = static_cast<std::int64_t>(state_->queries.size() / 3);
  if (count < 0 || count > all) count = all;
  state_->k = k;
  state_->ids.assign(static_cast<std::size_t>(count * k), 0);
  state_->sq_dists.assign(static_cast<std::size_t>(count * k), 0);
  return timed([&] {
    for (std::int64_t i = 0; i < count; ++i)
      state_->tree->annkSearch(&state_->queries[3 * (i * all / count)], k, &state_->ids[i * k],
                               &state_->sq_dists[i * k]);
  });
}

Neighbors AnnJob::neighbors() const {
  const auto queries = static_cast<std::int64_t>(state_->ids.size()) / state_->k;
  Neighbors found{queries, state_->k, {state_->ids.begin(), state_->ids.end()}, {}};
  for (const ANNdist sq_dist : state_->sq_dists) found.distances.push_back(static_cast<float>(std::sqrt(sq_dist)));
  return found;
}

}  // namespace kann::bench
