#include "cuda/launch.cuh"
#include "cuda/order_report.hpp"

namespace kann::cuda {
namespace {

__global__ void send_kernel(const OrderReport* d_report, OrderReport* sent) { *sent = *d_report; }

}  // namespace

OrderReports::OrderReports(Pool& pool) : d_report_(pool, 1), stream_(pool.stream()) {
  check(cudaHostAlloc(reinterpret_cast<void**>(&sent_), sizeof *sent_, cudaHostAllocMapped), "reports: cudaHostAlloc");
}

OrderReports::~OrderReports() { cudaFreeHost(sent_); }

void OrderReports::clear() { check(cudaMemsetAsync(d_report(), 0, sizeof(OrderReport), stream_), "reports: zeros"); }

void OrderReports::send() {
  OrderReport* d_sent = nullptr;
  check(cudaHostGetDevicePointer(reinterpret_cast<void**>(&d_sent), sent_, 0), "reports: address");
  send_kernel<<<1, 1, 0, stream_>>>(d_report(), d_sent);
  check_launch("reports");
  arrival_.record(stream_);
}

const OrderReport& OrderReports::wait() {
  arrival_.synchronize();
  return *sent_;
}

}  // namespace kann::cuda
