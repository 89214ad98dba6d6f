#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "cuda/clusters/backend.hpp"
#include "cuda/clusters/cluster_links.hpp"
#include "cuda/clusters/core_points.hpp"
#include "cuda/clusters/nearest_cores.hpp"
#include "cuda/clusters/point_tree.hpp"
#include "cuda/runtime/on_device.hpp"
#include "cuda/runtime/search_context.hpp"

namespace kann::cuda {
namespace {

using problem::ChosenPoints;

/// @tparam T a type that holds all coordinates
template <class T>
class ClusterDevice : public problem::ClusterDevice {
  using Tree = clusters::PointTree<T>;

 public:
  ClusterDevice(const problem::ClusterRule& rule, int index) : rule_(rule), within_(rule.radius), index_(index) {
    problem_.threads = rule.threads;
  }

  void find_core_points(const ChosenPoints& tile, const problem::ChosenAround& around,
                        problem::PointFlags& is_core) override {
    run([&](SearchContext& context) {
      const Tree points(context, tile, within_);
      clusters::CorePoints<T> cores(context, points, within_, rule_.min_points);
      around([&](const ChosenPoints& block) { cores.add(Tree(context, block, within_)); });
      cores.mark(is_core);
    });
  }

  void link(const ChosenPoints& tile_cores, const ChosenPoints& tile_others, const problem::ChosenAround& around,
            problem::DisjointSets& sets) override {
    run([&](SearchContext& context) {
      const Tree cores(context, tile_cores, within_), others(context, tile_others, within_);
      clusters::ClusterLinks<T> links(context, cores, within_, sets);
      clusters::NearestCores<T> nearest(context, others, within_);
      nearest.add(cores);
      around([&](const ChosenPoints& block) {
        const Tree cores_around(context, block, within_);
        links.add(cores_around);
        nearest.add(cores_around);
      });
      links.finish();
      nearest.put_into(sets);
    });
  }

  void describe(SearchReport& report) const override {
    report.device = on_device(index_, [] { return Workspaces::of_device().device(); });
    report.steps = steps_;
    report.device_peak_bytes = peak_bytes_;
  }

 private:
  /// Calls step(context) while the device is current, and adds up what it has taken.
  template <class Step>
  void run(Step step) {
    on_device(index_, [&] {
      const LentWorkspace workspace;
      SearchContext context(problem_, *workspace);
      context.steps = steps_;
      step(context);
      context.stream.synchronize();
      context.timer.collect();
      steps_ = context.steps;
      peak_bytes_ = std::max(peak_bytes_, context.pool.peak_bytes());
    });
  }

  const problem::ClusterRule rule_;
  const WithinRadius within_;
  const int index_;
  Problem problem_;  // without points: those of a step come tree by tree
  StepSeconds steps_;
  std::int64_t peak_bytes_ = 0;
};

}  // namespace

std::unique_ptr<problem::ClusterDevice> cluster_device(const problem::ClusterRule& rule, bool is_float64, int index) {
  if (is_float64) return std::make_unique<ClusterDevice<double>>(rule, index);
  return std::make_unique<ClusterDevice<float>>(rule, index);
}

}  // namespace kann::cuda
