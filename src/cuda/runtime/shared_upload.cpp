#include "cuda/runtime/shared_upload.hpp"

#include "kann/error.hpp"

#include "base/threads/first_exception.hpp"

namespace kann::cuda {
namespace {

/// Where part `number` of `parts` begins. Parts begin where pages of 4 kB do, so that copies are aligned.
std::size_t begin_of(std::size_t number, std::size_t parts, std::size_t bytes) {
  constexpr std::size_t page = 4096;
  return number == parts ? bytes : bytes / parts / page * page * number;
}

}  // namespace

/// Waits until all devices are here.
void SharedUpload::meet() {
  std::unique_lock lock(mutex_);
  const std::uint64_t meeting = meetings_;
  if (++waiting_ == d_bytes_.size()) {
    waiting_ = 0;
    ++meetings_;
    changed_.notify_all();
  }
  changed_.wait(lock, [&] { return meetings_ != meeting || is_ended_; });
  if (meetings_ == meeting) throw Error(ErrorKind::internal, "another device has ended");
}

void SharedUpload::end() noexcept {
  const std::lock_guard lock(mutex_);
  is_ended_ = true;
  changed_.notify_all();
}

void SharedUpload::fill(std::size_t number, Pool& pool, void* d_to, std::size_t bytes,
                        const std::function<void(std::size_t, std::size_t)>& upload) {
  const std::size_t parts = devices_.size();
  const auto begin = [&](std::size_t part) { return begin_of(part, parts, bytes); };
  for (const int other : devices_) pool.share_with(other);
  upload(begin(number), begin(number + 1) - begin(number));
  check(cudaStreamSynchronize(pool.stream()), "upload");
  std::byte* const d_own = d_bytes_[number] = static_cast<std::byte*>(d_to);  // meet() shows it to the others
  meet();
  base::FirstException first;
  first.capture([&] {
    for (std::size_t i = 1; i < parts; ++i) {
      const std::size_t other = (number + i) % parts;  // each device is read by one other at a time
      check(cudaMemcpyPeerAsync(d_own + begin(other), devices_[number], d_bytes_[other] + begin(other), devices_[other],
                                begin(other + 1) - begin(other), pool.stream()),
            "copy from another device");
    }
    check(cudaStreamSynchronize(pool.stream()), "copy from another device");
  });
  meet();  // also after a failure: no part may go while another device copies it
  first.rethrow();
}

}  // namespace kann::cuda
