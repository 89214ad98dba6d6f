// The CUDA backend of a build without nvcc.
#include "kann/error.hpp"

#include "cuda/backend.hpp"

namespace kann::cuda {

CudaStatus status(int) { return {false, "built without CUDA"}; }

std::shared_ptr<Staging> make_staging(int) { return nullptr; }

Answer solve(const Problem&, int, Prewarmed) {
  throw Error(ErrorKind::internal, "a build without CUDA was asked to use it");
}

}  // namespace kann::cuda
