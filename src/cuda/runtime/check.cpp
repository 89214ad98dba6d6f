#include "cuda/runtime/check.hpp"

#include <string>

#include "kann/error.hpp"

namespace kann::cuda {
namespace {

ErrorKind kind_of(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
      return ErrorKind::resources;
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorSystemNotReady:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorDevicesUnavailable:
    case cudaErrorInitializationError:
      return ErrorKind::no_device;
    default:
      return ErrorKind::internal;
  }
}

}  // namespace

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // reported here, so the check of the next launch must not report it again
  throw Error(kind_of(status), std::string("CUDA: ") + what + ": " + cudaGetErrorString(status));
}

}  // namespace kann::cuda
