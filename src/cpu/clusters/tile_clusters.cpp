#include "cpu/clusters/tile_clusters.hpp"

#include <cstddef>
#include <variant>

#include "base/threads/parallel.hpp"
#include "problem/survey.hpp"

namespace kann::cpu {
namespace {

/// The places of the points for which keep(number) is true, of those that are finite.
template <class Keep>
Array<std::uint32_t> places_of(const ClusteredPoints& cloud, Keep keep) {
  Array<std::uint32_t> places;
  for (std::int64_t i = 0; i < cloud.points.size(); ++i)
    if (keep(cloud.number(i)) && problem::is_valid(cloud.points, i)) places.push_back(static_cast<std::uint32_t>(i));
  return places;
}

template <class T, class Keep>
PointTree<T> tree_of(const ClusteredPoints& cloud, int threads, Keep keep) {
  return PointTree<T>(cloud.points, cloud.numbers, places_of(cloud, keep), threads);
}

}  // namespace

template <class T>
void find_core_points(const ClusteredPoints& tile, const AroundTile& around, const ClusterRule& rule,
                      PointFlags& is_core) {
  const auto all = [](std::int64_t) { return true; };
  if (rule.min_points == 1) {
    for (const std::uint32_t place : places_of(tile, all)) is_core.set(tile.number(place));
    return;
  }
  const PointTree<T> points = tree_of<T>(tile, rule.threads, all);
  CorePoints<T> cores(points, rule.radius, rule.min_points, rule.threads);
  around([&](const ClusteredPoints& block) { cores.add(tree_of<T>(block, rule.threads, all)); });
  cores.for_each([&](const auto& point) { is_core.set(points.number(point)); });
}

template <class T>
void link_clusters(const ClusteredPoints& tile, const AroundTile& around, const ClusterRule& rule,
                   const PointFlags& is_core, DisjointSets& sets) {
  const auto core = [&](std::int64_t number) { return is_core[number]; };
  const PointTree<T> cores = tree_of<T>(tile, rule.threads, core);
  const PointTree<T> others = tree_of<T>(tile, rule.threads, [&](std::int64_t number) { return !core(number); });
  ClusterLinks<T> links(cores, rule.radius, sets, rule.threads);
  Array<NearestCore> nearest(static_cast<std::size_t>(others.size()), NearestCore());
  find_nearest_cores(others, cores, rule.radius, rule.threads, nearest);
  around([&](const ClusteredPoints& block) {
    const PointTree<T> cores_around = tree_of<T>(block, rule.threads, core);
    links.add(cores_around);
    find_nearest_cores(others, cores_around, rule.radius, rule.threads, nearest);
  });
  Array<std::int64_t>& parents = sets.parents();
  for (std::int64_t i = 0; i < tile.points.size(); ++i)
    if (!core(tile.number(i))) parents[static_cast<std::size_t>(tile.number(i))] = -1;  // also where it is not finite
  for (std::size_t i = 0; i < nearest.size(); ++i)
    parents[static_cast<std::size_t>(others.number(others.points(1)[i]))] = nearest[i].number;
}

template void find_core_points<float>(const ClusteredPoints&, const AroundTile&, const ClusterRule&, PointFlags&);
template void find_core_points<double>(const ClusteredPoints&, const AroundTile&, const ClusterRule&, PointFlags&);
template void link_clusters<float>(const ClusteredPoints&, const AroundTile&, const ClusterRule&, const PointFlags&,
                                   DisjointSets&);
template void link_clusters<double>(const ClusteredPoints&, const AroundTile&, const ClusterRule&, const PointFlags&,
                                    DisjointSets&);

}  // namespace kann::cpu
