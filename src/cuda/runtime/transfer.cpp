#include "cuda/runtime/transfer.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/threads/copy_threads.hpp"

namespace kann::cuda {

Staging::Staging() {
  if (cudaHostAlloc(&memory_, k_slots * k_slot_bytes, cudaHostAllocDefault) != cudaSuccess) {
    cudaGetLastError();  // clears the error, for example a limit on locked memory: copies are plain then
    memory_ = nullptr;
    return;
  }
  try {
    std::byte* place = static_cast<std::byte*>(memory_);
    for (Slot& slot : slots_) {
      slot.memory = place;
      place += k_slot_bytes;
      check(cudaEventCreateWithFlags(&slot.is_free, cudaEventDisableTiming), "cudaEventCreate");
    }
  } catch (...) {
    release();
    throw;
  }
}

Staging::~Staging() { release(); }

void Staging::release() noexcept {
  if (!memory_) return;
  for (Slot& slot : slots_) {
    if (!slot.is_free) continue;
    cudaEventSynchronize(slot.is_free);
    cudaEventDestroy(slot.is_free);
  }
  cudaFreeHost(memory_);
}

/// Calls f(slots, next) on several threads. `slots` belong to the calling thread; next(begin, count) takes the next
/// chunk of the copy, and is false if none is left or another thread has failed.
template <class F>
void Staging::on_slots(std::size_t bytes, int threads, F&& f) {
  const std::scoped_lock lock(turn_);
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  const std::size_t chunks = (bytes + k_slot_bytes - 1) / k_slot_bytes;
  std::atomic<std::size_t> taken{0};
  const auto next = [&](std::size_t& begin, std::size_t& count) {
    const std::size_t chunk = taken++;
    if (chunk >= chunks) return false;
    begin = chunk * k_slot_bytes;
    count = std::min(k_slot_bytes, bytes - begin);
    return true;
  };
  base::on_workers(base::copy_threads(bytes / k_bytes_per_worker, threads, k_workers), [&](std::size_t worker) {
    try {
      check(cudaSetDevice(device), "cudaSetDevice");  // each thread has a current device of its own
      f(&slots_[worker * k_per_worker], next);
    } catch (...) {
      taken = chunks;
      throw;
    }
  });
}

void Staging::upload(const void* from, std::size_t bytes, void* d_to, cudaStream_t stream, int threads) {
  if (!memory_) {
    check(cudaMemcpyAsync(d_to, from, bytes, cudaMemcpyHostToDevice, stream), "upload");
    return;
  }
  on_slots(bytes, threads, [&](Slot* slots, auto& next) {
    std::size_t begin = 0, count = 0;
    for (std::size_t s = 0; next(begin, count); s = (s + 1) % k_per_worker) {
      check(cudaEventSynchronize(slots[s].is_free), "upload");
      std::memcpy(slots[s].memory, static_cast<const std::byte*>(from) + begin, count);
      check(cudaMemcpyAsync(static_cast<std::byte*>(d_to) + begin, slots[s].memory, count, cudaMemcpyHostToDevice,
                            stream),
            "upload");
      check(cudaEventRecord(slots[s].is_free, stream), "upload");
    }
  });
}

void Staging::download(const void* d_from, std::size_t bytes, void* to, cudaStream_t stream, int threads) {
  if (!memory_) {
    check(cudaMemcpyAsync(to, d_from, bytes, cudaMemcpyDeviceToHost, stream), "download");
    check(cudaStreamSynchronize(stream), "download");
    return;
  }
  on_slots(bytes, threads, [&](Slot* slots, auto& next) {
    std::size_t begin[k_per_worker], count[k_per_worker];
    bool is_filling[k_per_worker];
    const auto fill = [&](std::size_t s) {
      is_filling[s] = next(begin[s], count[s]);
      if (!is_filling[s]) return;
      check(cudaEventSynchronize(slots[s].is_free), "download");  // an upload may have used it last
      check(cudaMemcpyAsync(slots[s].memory, static_cast<const std::byte*>(d_from) + begin[s], count[s],
                            cudaMemcpyDeviceToHost, stream),
            "download");
      check(cudaEventRecord(slots[s].is_free, stream), "download");
    };
    for (std::size_t s = 0; s < k_per_worker; ++s) fill(s);
    for (std::size_t s = 0; is_filling[s]; s = (s + 1) % k_per_worker) {
      check(cudaEventSynchronize(slots[s].is_free), "download");
      std::memcpy(static_cast<std::byte*>(to) + begin[s], slots[s].memory, count[s]);
      fill(s);
    }
  });
}

}  // namespace kann::cuda
