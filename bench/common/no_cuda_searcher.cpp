// Builds without CUDA never choose a CUDA device.
#include "kann/error.hpp"

#include "common/searcher.hpp"

namespace kann::bench {

std::unique_ptr<Searcher> make_cuda_searcher(const problem::Problem&, int) {
  throw Error(ErrorKind::internal, "a build without CUDA was asked to use it");
}

}  // namespace kann::bench
