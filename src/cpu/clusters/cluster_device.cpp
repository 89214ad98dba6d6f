#include "cpu/clusters/cluster_device.hpp"

#include <cstddef>

#include "kann/array.hpp"

namespace kann::cpu {
namespace {

using problem::ChosenPoints;

/// @tparam T a type that holds all coordinates
template <class T>
class ClusterDevice : public problem::ClusterDevice {
 public:
  explicit ClusterDevice(const problem::ClusterRule& rule) : rule_(rule) {}

  void find_core_points(const ChosenPoints& tile, const problem::ChosenAround& around,
                        problem::PointFlags& is_core) override {
    const PointTree<T> points(tile, rule_);
    CorePoints<T> cores(points, rule_);
    around([&](const ChosenPoints& block) { cores.add(PointTree<T>(block, rule_)); });
    cores.for_each([&](const auto& point) { is_core.set(points.number(point)); });
  }

  void link(const ChosenPoints& tile_cores, const ChosenPoints& tile_others, const problem::ChosenAround& around,
            problem::DisjointSets& sets) override {
    const PointTree<T> cores(tile_cores, rule_), others(tile_others, rule_);
    ClusterLinks<T> links(cores, rule_, sets);
    Array<NearestCore> nearest(static_cast<std::size_t>(others.size()), NearestCore());
    find_nearest_cores(others, cores, rule_, nearest);
    around([&](const ChosenPoints& block) {
      const PointTree<T> cores_around(block, rule_);
      links.add(cores_around);
      find_nearest_cores(others, cores_around, rule_, nearest);
    });
    for (std::size_t i = 0; i < nearest.size(); ++i)
      if (nearest[i].number >= 0)
        sets.parents()[static_cast<std::size_t>(others.number(others.points(1)[i]))] = nearest[i].number;
  }

  void describe(SearchReport& report) const override { report.device = {"CPU", DeviceKind::cpu, rule_.threads, 0}; }

 private:
  const problem::ClusterRule rule_;
};

}  // namespace

std::unique_ptr<problem::ClusterDevice> cluster_device(const problem::ClusterRule& rule, bool is_float64) {
  if (is_float64) return std::make_unique<ClusterDevice<double>>(rule);
  return std::make_unique<ClusterDevice<float>>(rule);
}

}  // namespace kann::cpu
