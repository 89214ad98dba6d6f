// What placing the points of an order tells of it, and its way to the host.
#pragma once

#include <cstdint>

#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/stream.hpp"

namespace kann::cuda {

struct OrderReport {
  std::uint32_t unsettled;             ///< not 0: points are not in order, which is to be made anew by more bits
  std::uint32_t has_long_coarse_runs;  ///< not 0: more than k_long_coarse_run points share k_coarse_bits (place.hpp)
  std::uint32_t sampled_coarse_runs;   ///< of a sample of the points, those that share as many with the point before
};

/// A report on the device, and what was sent of it last.
class OrderReports {
 public:
  explicit OrderReports(Pool& pool) : d_report_(pool, 1), stream_(pool.stream()) {}
  ~OrderReports();
  OrderReports(const OrderReports&) = delete;
  OrderReports& operator=(const OrderReports&) = delete;

  OrderReport* d_report() const { return d_report_.data(); }

  /// Queues zeros.
  void clear();

  /// Queues the way to the host: by a kernel, since a copy would take the stream 5 µs to begin and end.
  void send();

  /// What was sent last. Blocks until it has arrived, and not for what was queued after it. Where the system pins no
  /// memory, it is copied now.
  const OrderReport& wait();

 private:
  Buffer<OrderReport> d_report_;
  cudaStream_t stream_;
  bool has_tried_to_pin_ = false;
  OrderReport* pinned_ = nullptr;  // mapped for the device; null: none was to be had
  OrderReport copied_{};
  Event arrival_;
};

}  // namespace kann::cuda
