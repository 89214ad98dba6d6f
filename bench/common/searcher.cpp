#include "common/searcher.hpp"

#include <utility>
#include <vector>

#include "cpu/backend.hpp"

namespace kann::bench {
namespace {

class CpuSearcher final : public Searcher {
 public:
  explicit CpuSearcher(const problem::Problem& problem) : problem_(problem) {}

  SearchTiming run() override {
    answer_ = {};
    const Stopwatch watch;
    answer_ = cpu::solve(problem_);
    const double seconds = watch.seconds();
    return {seconds, seconds, answer_.steps, 0};
  }

  Neighbors take() override { return std::move(answer_.neighbors); }

 private:
  const problem::Problem& problem_;
  problem::Answer answer_;
};

}  // namespace

std::unique_ptr<Searcher> make_searcher(const problem::Problem& problem, DeviceChoice choice) {
  if (choice.kind == DeviceKind::cuda) return make_cuda_searcher(problem, choice.index);
  return std::make_unique<CpuSearcher>(problem);
}

SearchMeasurement measure_search(Searcher& searcher, int repeat) {
  searcher.run();
  const Stopwatch watch;
  std::vector<double> device, wall;
  SearchMeasurement out;
  while (run_again(static_cast<int>(device.size()), repeat, watch)) {
    const SearchTiming t = searcher.run();
    if (device.empty() || t.seconds < out.device.best) {
      out.device.best = t.seconds;
      out.steps = t.steps;
    }
    out.peak_bytes = std::max(out.peak_bytes, t.peak_bytes);
    device.push_back(t.seconds);
    wall.push_back(t.wall_seconds);
  }
  out.device = spread_of(std::move(device));
  out.wall = spread_of(std::move(wall));
  return out;
}

}  // namespace kann::bench
