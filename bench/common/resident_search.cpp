#include "common/resident_search.hpp"

#include "cuda/methods.hpp"

namespace kann::cuda {

struct Resident::State {
  explicit State(const problem::Problem& problem) : context(problem, workspace) {
    context.stream.synchronize();
    loaded_bytes = context.pool.peak_bytes();
  }

  const Memory memory;
  Workspace workspace{memory};
  SearchContext context;
  std::int64_t loaded_bytes = 0;
};

Resident::Resident(const problem::Problem& problem, int index) {
  check(cudaSetDevice(index), "cudaSetDevice");
  state_ = std::make_unique<State>(problem);
}

Resident::~Resident() = default;

Resident::Timing Resident::run() {
  SearchContext& context = state_->context;
  context.steps = {};
  context.timer.restart();
  run_method(context);
  context.stream.synchronize();
  const double seconds = context.timer.collect();
  context.timer.restart();
  return {seconds, context.steps, context.pool.peak_bytes() - state_->loaded_bytes};
}

Neighbors Resident::download() { return state_->context.download(); }

}  // namespace kann::cuda
