#include "search/clusters/tile_clusters.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "kann/array.hpp"

#include "base/threads/parallel.hpp"
#include "cpu/clusters/cluster_device.hpp"
#include "cuda/clusters/backend.hpp"
#include "search/devices/device_choice.hpp"
#include "search/devices/device_memory.hpp"

namespace kann::detail {
namespace {

using problem::ChosenPoints;
using problem::ClusteredPoints;

/// The points of a cloud for which keep(number) is true, of those that are finite.
class Chosen {
 public:
  template <class Keep>
  Chosen(const ClusteredPoints& cloud, int threads, Keep keep) : cloud_(cloud) {
    std::visit([&](const auto& coordinates) { choose(coordinates.data(), threads, keep); }, cloud.points.coordinates);
  }

  operator ChosenPoints() const { return {cloud_, places_}; }

 private:
  /// In one pass: the coordinates may be changing.
  template <class T, class Keep>
  void choose(const T* coordinates, int threads, Keep keep) {
    const std::int64_t d = cloud_.points.dimensions;
    std::vector<Array<std::int32_t>> parts(static_cast<std::size_t>(threads));
    base::parallel_blocks(cloud_.points.size(), threads, [&](int block, std::int64_t begin, std::int64_t end) {
      Array<std::int32_t>& part = parts[static_cast<std::size_t>(block)];
      part.reserve(static_cast<std::size_t>(end - begin));
      for (std::int64_t i = begin; i < end; ++i)
        if (keep(cloud_.number(i)) &&
            std::all_of(coordinates + i * d, coordinates + (i + 1) * d, [](T x) { return std::isfinite(x); }))
          part.push_back(static_cast<std::int32_t>(i));
    });
    std::vector<std::size_t> begins;
    std::size_t count = 0;
    for (const auto& part : parts) begins.push_back(std::exchange(count, count + part.size()));
    places_.resize(count);
    base::parallel_for(threads, threads, [&](std::int64_t i) {
      const auto part = static_cast<std::size_t>(i);
      std::ranges::copy(parts[part], places_.begin() + static_cast<std::ptrdiff_t>(begins[part]));
    });
  }

  const ClusteredPoints cloud_;
  Array<std::int32_t> places_;
};

/// The points around a tile for which keep(number) is true.
template <class Keep>
problem::ChosenAround chosen_around(const AroundTile& around, int threads, Keep keep) {
  return [&around, threads, keep](const std::function<void(const ChosenPoints&)>& f) {
    around([&](const ClusteredPoints& block) { f(Chosen(block, threads, keep)); });
  };
}

}  // namespace

TileClusters::TileClusters(const ClusterWork& work, const SearchOptions& options) : rule_(work.rule) {
  const double bytes = device_bytes({.data = static_cast<double>(work.tile_points),
                                     .dimensions = work.size.dimensions,
                                     .is_float64 = work.is_float64,
                                     .finds_clusters = true});
  const ChosenDevice chosen = choose_device(work.size, bytes, options);
  device_ = chosen.kind == DeviceKind::cpu ? cpu::cluster_device(rule_, work.is_float64)
                                           : cuda::cluster_device(rule_, work.is_float64, chosen.index);
  reason_ = chosen.reason;
  start_up_seconds_ = chosen.start_up_seconds;
  waited_seconds_ = chosen.waited_seconds;
}

void TileClusters::find_core_points(const ClusteredPoints& tile, const AroundTile& around,
                                    problem::PointFlags& is_core) {
  const auto all = [](std::int64_t) { return true; };
  const Chosen points(tile, rule_.threads, all);
  if (rule_.min_points > 1)
    return device_->find_core_points(points, chosen_around(around, rule_.threads, all), is_core);
  for (const std::int32_t place : ChosenPoints(points).places) is_core.set(tile.number(place));
}

void TileClusters::link(const ClusteredPoints& tile, const AroundTile& around, const problem::PointFlags& is_core,
                        problem::DisjointSets& sets) {
  const auto core = [&](std::int64_t number) { return is_core[number]; };
  Array<std::int64_t>& parents = sets.parents();
  base::parallel_for(tile.points.size(), rule_.threads, [&](std::int64_t i) {
    if (!core(tile.number(i))) parents[static_cast<std::size_t>(tile.number(i))] = -1;  // also where it is not finite
  });
  const Chosen cores(tile, rule_.threads, core);
  const Chosen others(tile, rule_.threads, [&](std::int64_t number) { return !core(number); });
  device_->link(cores, others, chosen_around(around, rule_.threads, core), sets);
}

void TileClusters::describe(SearchReport& report) const {
  device_->describe(report);
  report.device_reason = reason_;
  report.start_up_seconds = start_up_seconds_;
  report.steps.start_up = waited_seconds_;
}

}  // namespace kann::detail
