// The stream, the memory and the host memory that one search works with. Making and destroying them takes .7 ms, and a
// search of 10⁵ points .2, so they are kept for the life of the process.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kann/device.hpp"

#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/mapped_memory.hpp"
#include "cuda/runtime/stream.hpp"

namespace kann::cuda {

struct Workspace {
  /// A workspace with a stream of its own.
  explicit Workspace(const Memory& memory) : own_stream(std::in_place), stream(*own_stream), pool(stream, memory) {}

  /// A workspace on the stream of a caller, which must not be destroyed before the work queued on it is done.
  Workspace(cudaStream_t callers, const Memory& memory) : stream(callers), pool(stream, memory) {}

  std::optional<Stream> own_stream;
  StreamView stream;
  Pool pool;
  MappedMemory mapped{stream};
};

/// What is kept of a device: its memory, and workspaces that are not in use. May be used by several threads.
class Workspaces {
 public:
  /// Those of the current device. They are not destroyed, since the driver may have ended before. @throws Error as
  /// check().
  static Workspaces& of_device();

  /// For the current device. @throws Error as check().
  Workspaces();

  const DeviceInfo& device() const { return device_; }
  const Memory& memory() const { return memory_; }

  /// Lends a workspace, with a peak of no bytes. @throws Error as check().
  std::unique_ptr<Workspace> lend();

  /// Takes a workspace back. Work may be left on its stream.
  void take_back(std::unique_ptr<Workspace> workspace) noexcept;

 private:
  /// The share of a device's memory that stays with the process while no workspace is lent. Others need the rest, such
  /// as the allocator of torch, and to get memory from the driver takes longer than a small search.
  static constexpr std::int64_t k_kept_share = 64;

  const DeviceInfo device_;
  const Memory memory_;
  std::mutex mutex_;  // guards the next two members
  std::size_t lent_ = 0;
  std::vector<std::unique_ptr<Workspace>> free_;
};

/// A workspace of the device that is current on construction, lent as long as this lives.
class LentWorkspace {
 public:
  LentWorkspace() : workspaces_(Workspaces::of_device()), workspace_(workspaces_.lend()) {}
  ~LentWorkspace() { workspaces_.take_back(std::move(workspace_)); }
  LentWorkspace(const LentWorkspace&) = delete;
  LentWorkspace& operator=(const LentWorkspace&) = delete;

  Workspace& operator*() const { return *workspace_; }
  Workspace* operator->() const { return workspace_.get(); }
  const Memory& memory() const { return workspaces_.memory(); }

 private:
  Workspaces& workspaces_;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace kann::cuda
