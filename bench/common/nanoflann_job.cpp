#include "common/nanoflann_job.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nanoflann.hpp>
#include <optional>
#include <span>
#include <vector>

#include "base/threads/parallel.hpp"
#include "common/morton_order.hpp"
#include "common/spread.hpp"
#include "products/accuracy/search_parameters.hpp"

namespace kann::bench {
namespace {

using accuracy::SearchParameters;

// The default of nanoflann, and the fastest: 2²⁰ uniform points, k = 8, one thread, build + queries in seconds with 8,
// 10, 16 and 32: 1.41, 1.38, 1.48, 1.54.
constexpr std::size_t k_leaf_size = 10;
constexpr std::int64_t k_query_chunk = 1024;

struct Source {
  std::span<const float> coordinates;

  std::size_t kdtree_get_point_count() const { return coordinates.size() / 3; }
  float kdtree_get_pt(std::size_t i, std::size_t axis) const { return coordinates[3 * i + axis]; }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

using Metric = nanoflann::L2_Simple_Adaptor<float, Source>;
using Tree = nanoflann::KDTreeSingleIndexAdaptor<Metric, Source, 3, std::uint32_t>;

}  // namespace

struct NanoflannJob::State {
  Source data;
  std::span<const float> queries;
  int threads;
  std::optional<Tree> tree;
  Array<std::uint32_t> order;
  Neighbors neighbors;

  void query_row(std::int64_t row, std::int64_t k, std::vector<std::uint32_t>& ids, std::vector<float>& sq_dists) {
    nanoflann::KNNResultSet<float, std::uint32_t> found(static_cast<std::size_t>(k));
    found.init(ids.data(), sq_dists.data());
    tree->findNeighbors(found, &queries[3 * row], SearchParameters());
    for (std::int64_t j = 0; j < k; ++j) {
      const bool exists = j < static_cast<std::int64_t>(found.size());
      neighbors.ids[row * k + j] = exists ? static_cast<std::int32_t>(ids[j]) : k_missing_id;
      neighbors.distances[row * k + j] = exists ? std::sqrt(sq_dists[j]) : std::numeric_limits<float>::infinity();
    }
  }
};

NanoflannJob::NanoflannJob(const Points& data, const Points& queries, int threads)
    : state_(new State{{std::get<Array<float>>(data.coordinates)},
                       std::get<Array<float>>(queries.coordinates),
                       threads,
                       std::nullopt,
                       {},
                       {}}) {}
NanoflannJob::~NanoflannJob() = default;

double NanoflannJob::build() {
  state_->tree.reset();
  return timed([&] { state_->tree.emplace(3, state_->data, nanoflann::KDTreeSingleIndexAdaptorParams(k_leaf_size)); });
}

double NanoflannJob::sort_queries() {
  return timed([&] {
    state_->order =
        morton_order(state_->queries.data(), static_cast<std::int64_t>(state_->queries.size() / 3), state_->threads);
  });
}

double NanoflannJob::query(std::int64_t k) {
  State& s = *state_;
  s.neighbors = {};
  return timed([&] {
    const auto count = static_cast<std::int64_t>(s.order.size());
    s.neighbors.queries = count;
    s.neighbors.k = k;
    s.neighbors.ids.resize(static_cast<std::size_t>(count * k));
    s.neighbors.distances.resize(static_cast<std::size_t>(count * k));
    base::parallel_chunks(count, k_query_chunk, s.threads, [&](std::int64_t begin, std::int64_t end) {
      std::vector<std::uint32_t> ids(static_cast<std::size_t>(k));
      std::vector<float> sq_dists(static_cast<std::size_t>(k));
      for (std::int64_t i = begin; i < end; ++i) s.query_row(s.order[i], k, ids, sq_dists);
    });
  });
}

const Neighbors& NanoflannJob::neighbors() const { return state_->neighbors; }

std::string NanoflannJob::version() {
  return std::to_string(NANOFLANN_VERSION >> 8) + "." + std::to_string(NANOFLANN_VERSION >> 4 & 15) + "." +
         std::to_string(NANOFLANN_VERSION & 15);
}

}  // namespace kann::bench
