#include "common/resident_search.hpp"
#include "common/searcher.hpp"

namespace kann::bench {
namespace {

class CudaSearcher final : public Searcher {
 public:
  CudaSearcher(const problem::Problem& problem, int index) : resident_(problem, index) {}

  SearchTiming run() override {
    const Stopwatch watch;
    const cuda::Resident::Timing t = resident_.run();
    return {t.seconds, watch.seconds(), t.steps, t.peak_bytes};
  }

  Neighbors take() override { return resident_.download(); }

 private:
  cuda::Resident resident_;
};

}  // namespace

std::unique_ptr<Searcher> make_cuda_searcher(const problem::Problem& problem, int index) {
  return std::make_unique<CudaSearcher>(problem, index);
}

}  // namespace kann::bench
