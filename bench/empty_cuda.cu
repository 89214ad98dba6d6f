// An empty CUDA program: it creates a context, launches a kernel and waits. Its wall time is the minimum of any program
// on a GPU.
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
