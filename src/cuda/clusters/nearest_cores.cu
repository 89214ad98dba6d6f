#include "kann/array.hpp"

#include "base/threads/parallel.hpp"
#include "cuda/clusters/nearest_cores.hpp"
#include "cuda/clusters/tree_walk.cuh"
#include "cuda/runtime/launch.cuh"

namespace kann::cuda::clusters {
namespace {

/// One thread per point.
__global__ void none_kernel(NearestCore* d_nearest, std::int64_t count) {
  const std::int64_t i = first_element();
  if (i < count) d_nearest[i] = {0, -1};
}

/// One thread per point.
template <class T>
__global__ void nearest_kernel(PointTreeView<T> points, PointTreeView<T> cores, Numbers numbers, WithinRadius within,
                               NearestCore* d_nearest) {
  const std::int64_t i = first_element();
  if (i < points.size) d_nearest[i] = nearest_core(cores, numbers, points.d_points[i], within, d_nearest[i]);
}

/// One thread per point: their core points, by rows.
template <class T>
__global__ void by_row_kernel(PointTreeView<T> points, const NearestCore* d_nearest, std::int64_t* d_numbers) {
  const std::int64_t i = first_element();
  if (i < points.size) d_numbers[points.d_points[i].row] = d_nearest[i].number;
}

}  // namespace

template <class T>
NearestCores<T>::NearestCores(SearchContext& context, const PointTree<T>& points, const WithinRadius& within)
    : context_(context), points_(points), within_(within), nearest_(context.pool, points.size()) {
  if (points.size() == 0) return;
  none_kernel<<<blocks_for(points.size()), k_block_threads, 0, context.stream>>>(nearest_.data(), points.size());
  check_launch("no nearest core points");
}

template <class T>
void NearestCores<T>::add(const PointTree<T>& cores) {
  if (points_.size() == 0 || cores.size() == 0) return;
  const Buffer<std::int64_t> numbers = context_.upload_array(cores.cloud().numbers);
  context_.timer.lap(context_.steps.upload);
  nearest_kernel<<<blocks_for(points_.size()), k_block_threads, 0, context_.stream>>>(
      points_.view(), cores.view(), Numbers{numbers.data()}, within_, nearest_.data());
  check_launch("nearest core points");
  context_.timer.lap(context_.steps.select);
}

template <class T>
void NearestCores<T>::put_into(problem::DisjointSets& sets) const {
  if (points_.size() == 0) return;
  const problem::ClusteredPoints& cloud = points_.cloud();
  Array<std::int64_t> numbers(static_cast<std::size_t>(cloud.points.size()));
  const Buffer<std::int64_t> d_numbers(context_.pool, cloud.points.size());
  check(cudaMemsetAsync(d_numbers.data(), 0xff, numbers.size() * sizeof(std::int64_t), context_.stream), "no numbers");
  by_row_kernel<<<blocks_for(points_.size()), k_block_threads, 0, context_.stream>>>(points_.view(), nearest_.data(),
                                                                                     d_numbers.data());
  check_launch("nearest core points by row");
  context_.download_array(d_numbers, numbers.data());
  context_.timer.lap(context_.steps.download);
  base::parallel_for(cloud.points.size(), context_.problem.threads, [&](std::int64_t i) {
    if (const std::int64_t number = numbers[static_cast<std::size_t>(i)]; number >= 0)
      sets.parents()[static_cast<std::size_t>(cloud.number(i))] = number;
  });
}

template class NearestCores<float>;
template class NearestCores<double>;

}  // namespace kann::cuda::clusters
