#include "cuda/backend.hpp"

#include <string>

#include "kann/error.hpp"

#include "cuda/device/check.hpp"
#include "cuda/probe.hpp"
#include "cuda/run.hpp"
#include "cuda/select.hpp"

namespace kann::cuda {

CudaStatus status(int index) {
  int driver = 0, count = 0;
  // The runtime's own word for a machine without a driver is that the driver is too old.
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) return {false, "no NVIDIA driver"};
  cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && index >= count)
    return {false, "cuda:" + std::to_string(index) + " does not exist, this machine has " + std::to_string(count)};
  if (error == cudaSuccess) error = cudaSetDevice(index);
  if (error == cudaSuccess) error = probe_kernels();
  if (error == cudaSuccess) return {true, ""};
  cudaGetLastError();  // later calls shall not find this error
  return {false, cudaGetErrorString(error)};
}

Answer solve(const Problem& problem, int index) {
  if (std::min(problem.k, problem.data_count) > k_max_list)
    throw Error(ErrorKind::usage, "--k is at most " + std::to_string(k_max_list) + " on a CUDA device, got " +
                                      std::to_string(problem.k) + "; use --device cpu");
  check(cudaSetDevice(index), "cudaSetDevice");
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
