// The transfer of an order's report to the host.
#pragma once

#include "cuda/order/order_report.hpp"
#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/mapped_memory.hpp"
#include "cuda/runtime/stream.hpp"

namespace kann::cuda {

class ReportChannel;

/// A report that was sent, like a std::future. The channel must outlive it, and must not send another before get().
class PendingReport {
 public:
  /// Blocks until the report has arrived, but not until work that was queued after it is done; if no memory can be
  /// mapped, until all work queued on the stream is done. May be called any number of times. @throws Error as check().
  const OrderReport& get() const;

 private:
  friend ReportChannel;
  explicit PendingReport(ReportChannel& channel) : channel_(&channel) {}

  ReportChannel* channel_;
};

/// The report that kernels write, on the device.
class ReportChannel {
 public:
  /// Queues zeros. `mapped` must outlive the channel.
  ReportChannel(Pool& pool, MappedMemory& mapped);
  ReportChannel(const ReportChannel&) = delete;
  ReportChannel& operator=(const ReportChannel&) = delete;

  OrderReport* d_report() const { return d_report_.data(); }

  /// Queues zeros.
  void clear();

  /// Queues the transfer, by a kernel, since a copy would occupy the stream for 5 µs.
  PendingReport send();

 private:
  friend PendingReport;
  const OrderReport& wait();

  Buffer<OrderReport> d_report_;
  MappedMemory& mapped_;
  cudaStream_t stream_;
  OrderReport copied_{};  // used if no memory is mapped
  Event arrival_;
};

}  // namespace kann::cuda
