#include "kann/array.hpp"

#include "cuda/clusters/core_points.hpp"
#include "cuda/clusters/tree_walk.cuh"
#include "cuda/runtime/launch.cuh"

namespace kann::cuda::clusters {
namespace {

/// One thread per point. @param are_own whether `others` is the tree of the points: the counts are not yet written
template <class T>
__global__ void count_kernel(PointTreeView<T> points, PointTreeView<T> others, WithinRadius within, std::int64_t enough,
                             bool are_own, std::int64_t* d_counts) {
  const std::int64_t i = first_element();
  if (i >= points.size) return;
  std::int64_t count = are_own ? 0 : d_counts[i];
  if (are_own) {
    const std::uint32_t node = narrow_node_of(points, i);
    if (points.is_narrow(node)) count = points.end(node) - points.begin(node);
    if (count < enough) count = 0;  // it is counted with its neighbours
  }
  if (count < enough) count = count_within(others, points.d_points[i], within, count, enough);
  d_counts[i] = count;
}

/// One thread per point.
template <class T>
__global__ void flags_kernel(PointTreeView<T> points, const std::int64_t* d_counts, std::int64_t enough,
                             std::uint8_t* d_flags) {
  const std::int64_t i = first_element();
  if (i < points.size) d_flags[points.d_points[i].row] = d_counts[i] >= enough;
}

}  // namespace

template <class T>
CorePoints<T>::CorePoints(SearchContext& context, const PointTree<T>& points, const WithinRadius& within,
                          std::int64_t enough)
    : context_(context), points_(points), within_(within), enough_(enough), counts_(context.pool, points.size()) {
  count_in(points, true);
}

template <class T>
void CorePoints<T>::add(const PointTree<T>& others) {
  count_in(others, false);
}

template <class T>
void CorePoints<T>::count_in(const PointTree<T>& others, bool are_own) {
  if (points_.size() == 0 || others.size() == 0) return;
  count_kernel<<<blocks_for(points_.size()), k_block_threads, 0, context_.stream>>>(
      points_.view(), others.view(), within_, enough_, are_own, counts_.data());
  check_launch("core points");
  context_.timer.lap(context_.steps.select);
}

template <class T>
void CorePoints<T>::mark(problem::PointFlags& is_core) const {
  const problem::ClusteredPoints& cloud = points_.cloud();
  if (points_.size() == 0) return;
  Array<std::uint8_t> flags(static_cast<std::size_t>(cloud.points.size()));
  const Buffer<std::uint8_t> d_flags(context_.pool, cloud.points.size());
  check(cudaMemsetAsync(d_flags.data(), 0, flags.size(), context_.stream), "core points");
  flags_kernel<<<blocks_for(points_.size()), k_block_threads, 0, context_.stream>>>(points_.view(), counts_.data(),
                                                                                    enough_, d_flags.data());
  check_launch("flags of core points");
  context_.download_array(d_flags, flags.data());
  context_.timer.lap(context_.steps.download);
  for (std::size_t i = 0; i < flags.size(); ++i)
    if (flags[i]) is_core.set(cloud.number(static_cast<std::int64_t>(i)));
}

template class CorePoints<float>;
template class CorePoints<double>;

}  // namespace kann::cuda::clusters
