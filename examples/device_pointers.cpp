// Queries that are on a GPU, searched on a stream of the program, with the results left there.
//
// A renderer or a simulation has its points on the device. Here the data are a line of points at 0, 1, 2, …, and the
// queries lie .2 to the right of each: query i must find point i.
#include <cstdio>
#include <cuda_runtime_api.h>
#include <exception>
#include <kann/index.hpp>
#include <stdexcept>
#include <vector>

namespace {

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

template <class T>
T* allocate(std::size_t size) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, size * sizeof(T)));
  return static_cast<T*>(memory);
}

}  // namespace

int main() try {
  if (const kann::CudaStatus status = kann::cuda_status(); !status.usable) {
    std::printf("no CUDA device: %s\n", status.reason.c_str());
    return 0;
  }
  constexpr std::size_t n = 1'000'000, k = 4;
  std::vector<float> data(2 * n), queries(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    data[2 * i] = static_cast<float>(i);
    queries[2 * i] = static_cast<float>(i) + .2f;
  }
  const kann::Index index(kann::PointsView(2, data));

  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));
  float* const d_queries = allocate<float>(2 * n);
  float* const d_distances = allocate<float>(n * k);
  std::int32_t* const d_ids = allocate<std::int32_t>(n * k);
  check(cudaMemcpyAsync(d_queries, queries.data(), 2 * n * sizeof(float), cudaMemcpyHostToDevice, stream));

  // Returns when the search is queued: what is queued on the stream after it may use the rows. (The first call also
  // sends the data, and orders them.)
  index.queue_search(kann::PointsView(2, std::span<const float>(d_queries, 2 * n)), {d_ids, d_distances},
                     {.k = k, .stream = stream});

  std::vector<std::int32_t> ids(n * k);
  check(cudaMemcpyAsync(ids.data(), d_ids, ids.size() * sizeof(std::int32_t), cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  std::size_t right = 0;
  for (std::size_t i = 0; i < n; ++i) right += ids[i * k] == static_cast<std::int32_t>(i);
  std::printf("%zu of %zu nearest neighbours are right\n", right, n);
  for (void* memory : {static_cast<void*>(d_queries), static_cast<void*>(d_distances), static_cast<void*>(d_ids)})
    check(cudaFree(memory));
  check(cudaStreamDestroy(stream));
  return right == n ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "device_pointers: %s\n", error.what());
  return 1;
}
