// How much of the host's memory a search may take, and how much its parts have taken.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <utility>

namespace kann::base {

/// Counts the bytes that are charged to it. A charge past the limit is counted, too, and nothing fails: the plan has
/// chosen sizes that stay below the limit, and peak() says whether they did. Any thread may charge it.
class MemoryBudget {
 public:
  explicit MemoryBudget(double limit = std::numeric_limits<double>::infinity()) : limit_(limit) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  double limit() const { return limit_; }
  std::int64_t in_use() const { return in_use_; }
  std::int64_t peak() const { return peak_; }  ///< the most bytes that were in use at a time

  /// Lets take_spare() have so many bytes: those below the limit that the plan leaves unused. Before anything is
  /// charged.
  void set_spare(double bytes) { spare_ = static_cast<std::int64_t>(bytes); }

  /// Takes bytes that are spare, for a MemoryCharge to charge; false: there are not so many.
  bool take_spare(std::int64_t bytes) {
    for (std::int64_t left = spare_; left >= bytes;)
      if (spare_.compare_exchange_weak(left, left - bytes)) return true;
    return false;
  }
  void give_spare_back(std::int64_t bytes) { spare_ += bytes; }

  /// Adds bytes, or takes them off where they are negative. MemoryCharge calls it.
  void add(std::int64_t bytes) {
    const std::int64_t now = in_use_ += bytes;
    for (std::int64_t before = peak_; now > before && !peak_.compare_exchange_weak(before, now);) continue;
  }

 private:
  const double limit_;
  std::atomic<std::int64_t> in_use_ = 0, peak_ = 0, spare_ = 0;
};

/// Bytes that are charged as long as this object lives. It charges once per array or block, never per row.
/// Example: `const MemoryCharge charge(memory, Post::bytes(…));` beside the array of these rows.
class MemoryCharge {
 public:
  MemoryCharge() = default;

  /// @param memory what is charged, which must outlive this object; null: nothing is
  MemoryCharge(MemoryBudget* memory, double bytes) : memory_(memory) { resize(bytes); }
  MemoryCharge(MemoryCharge&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryCharge& operator=(MemoryCharge&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MemoryCharge() { resize(0); }

  /// Charges so many bytes from now on, in place of those before.
  void resize(double bytes) {
    if (!memory_) return;
    const auto now = static_cast<std::int64_t>(bytes);
    memory_->add(now - std::exchange(bytes_, now));
  }

 private:
  MemoryBudget* memory_ = nullptr;
  std::int64_t bytes_ = 0;
};

}  // namespace kann::base
