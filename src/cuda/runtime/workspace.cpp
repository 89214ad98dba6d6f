#include "cuda/runtime/workspace.hpp"

#include <cstdint>
#include <map>

namespace kann::cuda {
namespace {

DeviceInfo current_device() {
  int index = 0;
  check(cudaGetDevice(&index), "cudaGetDevice");
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  return {properties.name, DeviceKind::cuda, 0, static_cast<std::int64_t>(properties.totalGlobalMem)};
}

}  // namespace

Workspaces& Workspaces::of_device() {
  static auto& mutex = *new std::mutex;
  static auto& devices = *new std::map<int, Workspaces>;
  int index = 0;
  check(cudaGetDevice(&index), "cudaGetDevice");
  const std::lock_guard lock(mutex);
  return devices[index];
}

Workspaces::Workspaces() : device_(current_device()) {}

std::unique_ptr<Workspace> Workspaces::lend() {
  const std::lock_guard lock(mutex_);
  free_.reserve(free_.size() + lent_ + 1);  // take_back() must not throw
  std::unique_ptr<Workspace> workspace;
  if (free_.empty()) {
    workspace = std::make_unique<Workspace>(memory_);
  } else {
    workspace = std::move(free_.back());
    free_.pop_back();
    workspace->pool.reset_peak();
  }
  if (lent_++ == 0) memory_.keep(INT64_MAX);
  return workspace;
}

void Workspaces::take_back(std::unique_ptr<Workspace> workspace) noexcept {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(workspace));
  if (--lent_ == 0) memory_.keep(device_.memory_bytes / k_kept_share);
}

}  // namespace kann::cuda
