// The stream, the memory and the host memory that one search works with. Making them takes longer than a search of a
// few thousand queries, so an index keeps them.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

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

/// Workspaces that searches return. May be used by several threads.
class Workspaces {
 public:
  /// Takes a workspace that was returned, or makes one. @throws Error as check().
  std::unique_ptr<Workspace> take(const Memory& memory) {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        auto workspace = std::move(free_.back());
        free_.pop_back();
        workspace->pool.reset_peak();
        return workspace;
      }
    }
    return std::make_unique<Workspace>(memory);
  }

  /// Returns a workspace. No work may be left on its stream.
  void give_back(std::unique_ptr<Workspace> workspace) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(workspace));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> free_;
};

}  // namespace kann::cuda
