// Points that are on a GPU, searched on a stream of the program, with the results left there.
//
// A renderer or a simulation has its points on the device. Here the data are a line of points at 0, 1, 2, …, and the
// queries lie .2 to the right of each: query i must find point i.
#include <cstdio>
#include <cuda_runtime_api.h>
#include <exception>
#include <kann/device_buffer.hpp>
#include <kann/device_index.hpp>
#include <stdexcept>
#include <vector>

namespace {

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// The line of 2-D points, moved by `shift`.
kann::DeviceBuffer line(std::size_t n, float shift) {
  std::vector<float> points(2 * n);
  for (std::size_t i = 0; i < n; ++i) points[2 * i] = static_cast<float>(i) + shift;
  kann::DeviceBuffer memory(points.size() * sizeof(float), 0);
  check(cudaMemcpy(memory.data(), points.data(), points.size() * sizeof(float), cudaMemcpyHostToDevice));
  return memory;
}

kann::PointsView view(const kann::DeviceBuffer& points, std::size_t n) {
  return {2, std::span(static_cast<const float*>(points.data()), 2 * n)};
}

}  // namespace

int main() try {
  if (const kann::CudaStatus status = kann::cuda_status(); !status.usable) {
    std::printf("no CUDA device: %s\n", status.reason.c_str());
    return 0;
  }
  constexpr std::size_t n = 1'000'000, k = 4;
  const kann::DeviceBuffer data = line(n, 0), queries = line(n, .2f);
  const kann::DeviceBuffer ids(n * k * sizeof(std::int32_t), 0), distances(n * k * sizeof(float), 0);
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));

  // The search is queued: what is queued on the stream after it may use the rows. (The first search of an index also
  // orders the data, and returns when that is done.)
  const kann::DeviceIndex index(view(data, n), {.stream = stream});
  index.queue_search(view(queries, n), {static_cast<std::int32_t*>(ids.data()), static_cast<float*>(distances.data())},
                     k, stream);

  std::vector<std::int32_t> found(n * k);
  check(cudaMemcpyAsync(found.data(), ids.data(), found.size() * sizeof(std::int32_t), cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  check(cudaStreamDestroy(stream));
  std::size_t right = 0;
  for (std::size_t i = 0; i < n; ++i) right += found[i * k] == static_cast<std::int32_t>(i);
  std::printf("%zu of %zu nearest neighbours are right\n", right, n);
  return right == n ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "device_pointers: %s\n", error.what());
  return 1;
}
