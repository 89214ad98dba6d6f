#include <type_traits>

#include "cuda/exact/groups.hpp"
#include "cuda/exact/index.hpp"
#include "cuda/exact/search.hpp"
#include "cuda/order/place.hpp"
#include "cuda/order/sort.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/thread/binary_search.cuh"

namespace kann::cuda::exact {
namespace {

/// One thread per point, in the order of the curve.
__global__ void groups_kernel(const PlacedPoint* d_placed, PointGroups groups, std::int64_t count,
                              std::uint32_t* d_groups, std::uint32_t* d_points) {
  const std::int64_t i = first_element();
  if (i >= count) return;
  const std::uint32_t point = d_placed[i].index;
  d_groups[i] = static_cast<std::uint32_t>(groups.of(point));
  d_points[i] = point;
}

/// One thread per query: where the data of its group are.
__global__ void ranges_kernel(const std::uint32_t* d_groups, std::int64_t data_count, PointGroups groups,
                              std::int64_t count, PlaceRange* d_ranges) {
  const std::int64_t i = first_element();
  if (i >= count) return;
  const auto group = static_cast<std::uint32_t>(groups.of(static_cast<std::uint32_t>(i)));
  const auto first_after = [&](auto is_before) { return thread::partition_point(0, data_count, is_before); };
  d_ranges[i].begin = first_after([&](std::int64_t place) { return d_groups[place] < group; });
  d_ranges[i].end = first_after([&](std::int64_t place) { return d_groups[place] <= group; });
}

template <class Real>
void queue(SearchContext& context, const Index<Real>& index, const PointGroups& data, const PointGroups& queries) {
  const Problem& p = context.problem;
  Pool& pool = context.pool;
  const cudaStream_t stream = context.stream;
  PairSorter<std::uint32_t> sorter(pool, p.data_count);
  groups_kernel<<<blocks_for(p.data_count), k_block_threads, 0, stream>>>(index.d_placed(), data, p.data_count,
                                                                          sorter.keys_in(), sorter.indices_in());
  check_launch("groups of the data");
  sorter.sort(p.data_count, 0, 32, stream);
  const Buffer<PlacedPoint> placed(pool, p.data_count);
  place_indices(sorter.indices(), p.data_count, p.dimensions, {context.d_data(), nullptr, p.grid}, placed.data(),
                stream);
  Buffer<GivenPoint> given;
  const Point<Real>* d_given = nullptr;
  if constexpr (std::is_same_v<Real, float>) {
    d_given = placed.data();
  } else {
    given = Buffer<GivenPoint>(pool, p.data_count);
    place_given(context.d_given_data(), placed.data(), p.data_count, p.dimensions, given.data(), stream);
    d_given = given.data();
  }
  const BoxTree<Real> tree(pool, placed.data(), d_given, p.data_count);

  const Buffer<PlaceRange> ranges(pool, p.query_count);
  ranges_kernel<<<blocks_for(p.query_count), k_block_threads, 0, stream>>>(sorter.keys(), p.data_count, queries,
                                                                           p.query_count, ranges.data());
  check_launch("groups of the queries");
  // Those that follow each other share points that are in the cache
  const PointSequence own{{nullptr, placed.data(), p.grid}, nullptr},
      others{{context.d_queries(), nullptr, p.grid}, nullptr};
  search_in_ranges(pool, search_over(context, tree.view(), p.self_query() ? own : others, p.query_count),
                   context.rows(), ranges.data());
}

}  // namespace

void queue_in_groups(SearchContext& context, DataIndexes& kept, const PointGroups& data, const PointGroups& queries) {
  if (context.problem.query_count == 0) return;
  context.problem.is_rounded() ? queue(context, kept.along_curve<double>(), data, queries)
                               : queue(context, kept.along_curve<float>(), data, queries);
}

}  // namespace kann::cuda::exact
