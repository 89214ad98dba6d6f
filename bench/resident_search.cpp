#include "resident_search.hpp"

#include "cuda/runtime/search_context.hpp"

namespace kann::cuda {

struct Resident::State {
  explicit State(const Problem& problem) : run(problem, nullptr) {
    run.load();
    run.stream.synchronize();
    loaded_bytes = run.pool.peak_bytes();
  }

  Run run;
  std::int64_t loaded_bytes = 0;
};

Resident::Resident(const Problem& problem, int index) {
  check(cudaSetDevice(index), "cudaSetDevice");
  state_ = std::make_unique<State>(problem);
}

Resident::~Resident() = default;

Resident::Timing Resident::run() {
  Run& run = state_->run;
  run.steps = {};
  run.timer.restart();
  run.search();
  run.stream.synchronize();
  const double seconds = run.timer.collect();
  run.timer.restart();
  return {seconds, run.steps, run.pool.peak_bytes() - state_->loaded_bytes};
}

Neighbors Resident::download() { return state_->run.download(); }

}  // namespace kann::cuda
