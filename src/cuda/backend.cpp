#include "cuda/backend.hpp"

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "kann/error.hpp"

#include "cuda/answer.hpp"
#include "cuda/methods.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/on_device.hpp"
#include "cuda/runtime/probe.hpp"

namespace kann::cuda {

namespace {

/// Solves the problem on the current device.
Answer solve_here(const Problem& problem, Neighbors made) {
  ResultMemory result(problem, std::move(made));
  const LentWorkspace workspace;
  SearchContext context(problem, *workspace);
  run_method(context);
  return answer_of(context, result);
}

/// The devices that this process has used.
class StartedDevices {
 public:
  void add(int index) {
    const std::lock_guard lock(mutex_);
    indexes_.insert(index);
  }
  bool has(int index) {
    const std::lock_guard lock(mutex_);
    return indexes_.contains(index);
  }

 private:
  std::mutex mutex_;
  std::set<int> indexes_;
};
StartedDevices started_devices;

}  // namespace

CudaStatus status(int index) {
  int driver = 0, count = 0;
  // Without a driver, the runtime's own message would be that the driver is too old.
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) return {false, "no NVIDIA driver"};
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && index >= count)
    return {false, "cuda:" + std::to_string(index) + " does not exist, this machine has " + std::to_string(count)};
  cudaGetLastError();  // clears the error, so that later checks do not report it
  if (error != cudaSuccess) return {false, cudaGetErrorString(error)};
  try {
    check(on_device(index, probe_kernels), "first use of the device");
  } catch (const Error& e) {
    return {false, e.what()};
  }
  started_devices.add(index);
  return {true, ""};
}

bool is_built() { return true; }

int device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  cudaGetLastError();  // clears the error, so that later checks do not report it
  return 0;
}

DeviceTraits traits(int index) {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  return {properties.name, static_cast<double>(properties.totalGlobalMem)};
}

bool has_started(int index) { return started_devices.has(index); }

void make_staging(int index) {
  try {
    on_device(index, [] { make_staging(); });
  } catch (const Error&) {  // the search makes them, or reports the error
  }
}

Answer solve(const Problem& problem, int index, Neighbors result) {
  problem.progress("search", 0);
  Answer answer = on_device(index, [&] { return solve_here(problem, std::move(result)); });
  problem.progress("search", 1);
  return answer;
}

}  // namespace kann::cuda
