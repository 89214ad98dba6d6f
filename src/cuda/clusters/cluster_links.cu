#include "kann/array.hpp"

#include "base/threads/parallel.hpp"
#include "cuda/clusters/cluster_links.hpp"
#include "cuda/clusters/tree_walk.cuh"
#include "cuda/runtime/launch.cuh"

namespace kann::cuda::clusters {
namespace {

constexpr std::uint32_t k_alone = 0xffffffffu;  // no row: rows are less than 2³¹

/// One thread per point of a side.
template <class T>
__global__ void first_parents_kernel(Side<T> side, Forest forest) {
  const std::int64_t i = first_element();
  if (i < side.tree.size) forest.d_parents[side.number(i)] = side.first_parent(i);
}

/// One thread per point.
template <class T>
__global__ void link_within_kernel(Side<T> side, WithinRadius within, Forest forest) {
  const std::int64_t i = first_element();
  if (i < side.tree.size) link_within(side, i, within, forest);
}

/// One thread per point of `side`.
template <class T>
__global__ void link_kernel(Side<T> side, Side<T> others, WithinRadius within, Forest forest) {
  const std::int64_t i = first_element();
  if (i < side.tree.size) link_from(1, side.tree.d_points[i], side.number(i), others, within, forest);
}

/// One thread per point of a side: by its row, the row of the root of its set, if that is another point of `cores`.
template <class T>
__global__ void roots_kernel(Side<T> side, PointTreeView<T> cores, Forest forest, std::uint32_t* d_roots) {
  const std::int64_t i = first_element();
  if (i >= side.tree.size) return;
  const std::uint32_t root = root_of(forest, side.number(i));
  if (root < cores.size && root != side.number(i)) d_roots[side.tree.d_points[i].row] = cores.d_points[root].row;
}

}  // namespace

template <class T>
ClusterLinks<T>::ClusterLinks(SearchContext& context, const PointTree<T>& cores, const WithinRadius& within,
                              problem::DisjointSets& sets)
    : context_(context), cores_(cores), within_(within), sets_(sets), forest_(context.pool, cores.size()) {
  if (cores.size() == 0) return;
  const Side<T> side{cores.view(), 0};
  const Forest forest{forest_.data()};
  first_parents_kernel<<<blocks_for(cores.size()), k_block_threads, 0, context.stream>>>(side, forest);
  check_launch("parents of core points");
  link_within_kernel<<<blocks_for(cores.size()), k_block_threads, 0, context.stream>>>(side, within, forest);
  check_launch("links of core points");
  context.timer.lap(context.steps.select);
}

template <class T>
void ClusterLinks<T>::add(const PointTree<T>& others) {
  if (cores_.size() == 0 || others.size() == 0) return;
  // Roots are the smallest numbers, so the points of others come last, and are no parents of cores
  const auto first = static_cast<std::uint32_t>(cores_.size());
  Buffer<std::uint32_t> both(context_.pool, cores_.size() + others.size());
  check(cudaMemcpyAsync(both.data(), forest_.data(), first * sizeof(std::uint32_t), cudaMemcpyDeviceToDevice,
                        context_.stream),
        "parents of core points");
  forest_ = std::move(both);
  const Side<T> own{cores_.view(), 0}, side{others.view(), first};
  const Forest forest{forest_.data()};
  first_parents_kernel<<<blocks_for(others.size()), k_block_threads, 0, context_.stream>>>(side, forest);
  check_launch("parents of core points");
  link_kernel<<<blocks_for(others.size()), k_block_threads, 0, context_.stream>>>(side, own, within_, forest);
  check_launch("links of core points");
  context_.timer.lap(context_.steps.select);
  unite_in_sets(others, first);
}

template <class T>
void ClusterLinks<T>::finish() {
  if (cores_.size() > 0) unite_in_sets(cores_, 0);
}

/// Unites, in sets_, points of a tree whose first number is `first` with the roots of their sets.
template <class T>
void ClusterLinks<T>::unite_in_sets(const PointTree<T>& points, std::uint32_t first) {
  const problem::ClusteredPoints &cloud = points.cloud(), &of_cores = cores_.cloud();
  Array<std::uint32_t> roots(static_cast<std::size_t>(cloud.points.size()));
  const Buffer<std::uint32_t> d_roots(context_.pool, cloud.points.size());
  check(cudaMemsetAsync(d_roots.data(), 0xff, roots.size() * sizeof(std::uint32_t), context_.stream), "roots");
  roots_kernel<<<blocks_for(points.size()), k_block_threads, 0, context_.stream>>>(
      Side<T>{points.view(), first}, cores_.view(), Forest{forest_.data()}, d_roots.data());
  check_launch("roots of sets");
  context_.download_array(d_roots, roots.data());
  context_.timer.lap(context_.steps.download);
  base::parallel_for(cloud.points.size(), context_.problem.threads, [&](std::int64_t i) {
    if (const std::uint32_t root = roots[static_cast<std::size_t>(i)]; root != k_alone)
      sets_.unite(cloud.number(i), of_cores.number(root));
  });
}

template class ClusterLinks<float>;
template class ClusterLinks<double>;

}  // namespace kann::cuda::clusters
