#include "cuda/order/report_channel.hpp"
#include "cuda/runtime/launch.cuh"

namespace kann::cuda {
namespace {

static_assert(sizeof(OrderReport) <= MappedMemory::k_bytes);

__global__ void send_kernel(const OrderReport* d_report, OrderReport* d_mapped) { *d_mapped = *d_report; }

}  // namespace

const OrderReport& PendingReport::get() const { return channel_->wait(); }

ReportChannel::ReportChannel(Pool& pool, MappedMemory& mapped)
    : d_report_(pool, 1), mapped_(mapped), stream_(pool.stream()) {
  clear();
}

void ReportChannel::clear() { check(cudaMemsetAsync(d_report(), 0, sizeof(OrderReport), stream_), "report: zeros"); }

PendingReport ReportChannel::send() {
  if (void* const d_mapped = mapped_.device()) {
    send_kernel<<<1, 1, 0, stream_>>>(d_report(), static_cast<OrderReport*>(d_mapped));
    check_launch("report");
    arrival_.record(stream_);
  }
  return PendingReport(*this);
}

const OrderReport& ReportChannel::wait() {
  if (const void* const mapped = mapped_.host()) {
    arrival_.synchronize();
    return *static_cast<const OrderReport*>(mapped);
  }
  check(cudaMemcpyAsync(&copied_, d_report(), sizeof copied_, cudaMemcpyDeviceToHost, stream_), "report: copy");
  check(cudaStreamSynchronize(stream_), "report: copy");
  return copied_;
}

}  // namespace kann::cuda
