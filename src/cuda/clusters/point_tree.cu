#include <span>
#include <utility>
#include <variant>

#include "cuda/clusters/point_tree.hpp"
#include "cuda/clusters/tree_walk.cuh"
#include "cuda/order/curve_order.hpp"
#include "cuda/order/device_points.hpp"
#include "cuda/runtime/launch.cuh"
#include "problem/prepared_data.hpp"

namespace kann::cuda::clusters {
namespace {

/// Points of a cloud along the Hilbert curve, by their places among `points`. Blocks.
Buffer<PlacedPoint> along_curve(SearchContext& context, const ValidPoints& points) {
  Pool& pool = context.pool;
  problem::SurveyedData data;
  data.dimensions = points.d_points.dimensions;
  const SampledSurvey found = survey_of(pool, context.mapped, points);
  data.survey = found.survey;
  data.choose_frame_and_grid(found.sample);
  const Buffer<float> framed = in_frame(pool, points, data.frame);
  const Buffer<double> given = data.needs_given(true) ? as_float64(pool, points) : Buffer<double>();
  context.timer.lap(context.steps.encode);
  return std::move(
      CurveOrder(context, {framed.data(), nullptr, data.grid, given.data()}, data.dimensions, points.count).placed);
}

/// One thread per point.
template <class From, class T>
__global__ void copy_points_kernel(const From* d_cloud, int dimensions, const std::int32_t* d_places,
                                   const PlacedPoint* d_placed, std::int64_t count, TreePoint<T>* d_points) {
  const std::int64_t i = first_element();
  if (i >= count) return;
  const std::int32_t row = d_places[d_placed[i].index];
  const From* const from = d_cloud + std::int64_t{row} * dimensions;
  d_points[i] = {{static_cast<T>(from[0]), static_cast<T>(from[1]), dimensions == 3 ? static_cast<T>(from[2]) : T(0)},
                 static_cast<std::uint32_t>(row)};
}

/// One thread per node of a level, the first of which is node `count`; the level below is made.
template <class T>
__global__ void nodes_kernel(PointTreeView<T> tree, std::uint32_t count, WithinRadius within, TreeNode<T>* d_nodes) {
  const std::int64_t i = first_element();
  if (i >= count) return;
  const std::uint32_t node = count + static_cast<std::uint32_t>(i);
  d_nodes[node] = made_node(tree, node, within);
}

}  // namespace

template <class T>
PointTree<T>::PointTree(SearchContext& context, const problem::ChosenPoints& chosen, const WithinRadius& within)
    : cloud_(chosen.cloud), view_{HeapNodes(std::ssize(chosen.places), k_leaf), nullptr, nullptr} {
  if (size() == 0) return;
  const PointsView& cloud = cloud_.points;
  const Buffer<std::int32_t> places = context.upload_array(chosen.places);
  points_ = Buffer<TreePoint<T>>(context.pool, size());
  std::visit(
      [&](const auto& coordinates) {
        const auto copy = context.upload_array(coordinates);
        context.timer.lap(context.steps.upload);
        const PointsView d_cloud(cloud.dimensions, std::span(copy.data(), coordinates.size()));
        const Buffer<PlacedPoint> placed = along_curve(context, {d_cloud, places.data(), size()});
        copy_points_kernel<<<blocks_for(size()), k_block_threads, 0, context.stream>>>(
            copy.data(), cloud.dimensions, places.data(), placed.data(), size(), points_.data());
        check_launch("points of a tree");
      },
      cloud.coordinates);
  nodes_ = Buffer<TreeNode<T>>(context.pool, std::int64_t{2} * view_.first_leaf());
  view_.d_points = points_.data();
  view_.d_nodes = nodes_.data();
  for (std::uint32_t count = view_.first_leaf(); count > 0; count /= 2) {
    nodes_kernel<<<blocks_for(count), k_block_threads, 0, context.stream>>>(view_, count, within, nodes_.data());
    check_launch("nodes of a tree");
  }
  context.timer.lap(context.steps.boxes);
}

template class PointTree<float>;
template class PointTree<double>;

}  // namespace kann::cuda::clusters
