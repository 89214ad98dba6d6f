#include <utility>

#include "cuda/order/order_report.hpp"
#include "cuda/runtime/launch.cuh"

namespace kann::cuda {
namespace {

__global__ void send_kernel(const OrderReport* d_report, OrderReport* d_pinned) { *d_pinned = *d_report; }

}  // namespace

OrderReports::~OrderReports() {
  if (!pinned_) return;
  cudaStreamSynchronize(stream_);  // as after an exception: a report may be on its way
  cudaFreeHost(pinned_);
}

void OrderReports::clear() { check(cudaMemsetAsync(d_report(), 0, sizeof(OrderReport), stream_), "reports: zeros"); }

void OrderReports::send() {
  if (!std::exchange(has_tried_to_pin_, true) &&
      cudaHostAlloc(reinterpret_cast<void**>(&pinned_), sizeof *pinned_, cudaHostAllocMapped) != cudaSuccess) {
    cudaGetLastError();  // not sticky: a limit on locked memory, say
    pinned_ = nullptr;
  }
  if (!pinned_) return;
  OrderReport* d_pinned = nullptr;
  check(cudaHostGetDevicePointer(reinterpret_cast<void**>(&d_pinned), pinned_, 0), "reports: address");
  send_kernel<<<1, 1, 0, stream_>>>(d_report(), d_pinned);
  check_launch("reports");
  arrival_.record(stream_);
}

const OrderReport& OrderReports::wait() {
  if (pinned_) {
    arrival_.synchronize();
    return *pinned_;
  }
  check(cudaMemcpyAsync(&copied_, d_report(), sizeof copied_, cudaMemcpyDeviceToHost, stream_), "reports: copy");
  check(cudaStreamSynchronize(stream_), "reports: copy");
  return copied_;
}

}  // namespace kann::cuda
