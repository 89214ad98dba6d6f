// Interpolation on a GPU in a build without nvcc.
#include "kann/error.hpp"

#include "cuda/interpolation/backend.hpp"

namespace kann::cuda {

interpolation::RbfValues interpolate(const interpolation::RbfInput&, int) {
  throw Error(ErrorKind::internal, "a build without CUDA was asked to use it");
}

}  // namespace kann::cuda
