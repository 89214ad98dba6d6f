// The least that a CUDA program can do: a context, a kernel, a wait. What its wall time is, no program on a GPU
// escapes.
#include <cstdio>
#include <cuda_runtime_api.h>

namespace {

__global__ void nothing() {}

}  // namespace

int main() {
  nothing<<<1, 1>>>();
  const cudaError_t status = cudaDeviceSynchronize();
  if (status == cudaSuccess) return 0;
  std::fprintf(stderr, "bench_empty_cuda: error: %s\n", cudaGetErrorString(status));
  return 5;
}
