#include "ann_job.hpp"

#include <ANN/ANN.h>
#include <vector>

#include "spread.hpp"

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
};

AnnJob::AnnJob(const Points& data, const Points& queries)
    : state_(new State{doubles_of(data), doubles_of(queries), {}, {}}) {
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
  std::vector<ANNidx> ids(static_cast<std::size_t>(count * k));
  std::vector<ANNdist> sq_dists(static_cast<std::size_t>(count * k));
  return timed([&] {
    for (std::int64_t i = 0; i < count; ++i)
      state_->tree->annkSearch(&state_->queries[3 * (i * all / count)], k, &ids[i * k], &sq_dists[i * k]);
  });
}

}  // namespace kann::bench
