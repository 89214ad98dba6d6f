#include "cuda/backend.hpp"

#include <string>

#include "kann/error.hpp"

#include "cuda/device/check.hpp"
#include "cuda/probe.hpp"
#include "cuda/run.hpp"
#include "cuda/select.hpp"

namespace kann::cuda {

namespace {

/// Makes a device current, and afterwards the one that was: other code of this thread may use another.
class DeviceScope {
 public:
  explicit DeviceScope(int index) {
    check(cudaGetDevice(&before_), "cudaGetDevice");
    check(cudaSetDevice(index), "cudaSetDevice");
  }
  ~DeviceScope() { cudaSetDevice(before_); }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int before_ = 0;
};

}  // namespace

std::int64_t most_neighbors() { return k_max_list; }

CudaStatus status(int index) {
  int driver = 0, count = 0;
  // The runtime's own word for a machine without a driver is that the driver is too old.
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) return {false, "no NVIDIA driver"};
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && index >= count)
    return {false, "cuda:" + std::to_string(index) + " does not exist, this machine has " + std::to_string(count)};
  cudaGetLastError();  // later calls shall not find this error
  if (error != cudaSuccess) return {false, cudaGetErrorString(error)};
  try {
    const DeviceScope scope(index);
    check(probe_kernels(), "first use of the device");
  } catch (const Error& e) {
    return {false, e.what()};
  }
  return {true, ""};
}

Answer solve(const Problem& problem, int index) {
  if (std::min(problem.k, problem.data_count) > k_max_list)
    throw Error(ErrorKind::usage, "--k is at most " + std::to_string(k_max_list) + " on a CUDA device, got " +
                                      std::to_string(problem.k) + "; use --device cpu");
  const DeviceScope scope(index);
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");

  Run run(problem);
  problem.progress("search", 0);
  problem.pipeline == Pipeline::paper ? run_paper(run) : run_fused(run);
  problem.progress("search", 1);

  run.answer.device = {properties.name, DeviceKind::cuda, 0, static_cast<std::int64_t>(properties.totalGlobalMem)};
  run.answer.device_peak_bytes = run.pool.peak_bytes();
  return std::move(run.answer);
}

void Run::download(const std::int32_t* d_ids, const float* d_distances) {
  Neighbors& out = answer.neighbors;
  out.queries = problem.query_count;
  out.k = problem.k;
  out.ids.resize(static_cast<std::size_t>(out.queries * out.k));
  out.distances.resize(out.ids.size());
  if (!out.ids.empty()) {
    const std::size_t bytes = out.ids.size() * sizeof(float);
    check(cudaMemcpyAsync(out.ids.data(), d_ids, bytes, cudaMemcpyDeviceToHost, stream), "download");
    check(cudaMemcpyAsync(out.distances.data(), d_distances, bytes, cudaMemcpyDeviceToHost, stream), "download");
  }
  timer.lap(answer.steps.download);
  stream.synchronize();
  timer.collect();
}

}  // namespace kann::cuda
