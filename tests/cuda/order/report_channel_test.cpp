// Reports reach the host as they were when they were sent.
#include "cuda/order/report_channel.hpp"

#include "cuda/gpu.hpp"

namespace kann {
namespace {

class ReportChannel : public test::GpuTest {};

/// Queues the report that kernels would write.
void write(test::Device& device, const cuda::ReportChannel& channel, const cuda::OrderReport& report) {
  cuda::check(cudaMemcpyAsync(channel.d_report(), &report, sizeof report, cudaMemcpyHostToDevice, device.stream()),
              "report");
}

void expect_report(const cuda::OrderReport& got, const cuda::OrderReport& right) {
  EXPECT_EQ(got.incomplete, right.incomplete);
  EXPECT_EQ(got.has_long_coarse_runs, right.has_long_coarse_runs);
  EXPECT_EQ(got.sampled_coarse_runs, right.sampled_coarse_runs);
}

TEST_F(ReportChannel, BeginsWithZerosAndSendsWhatIsWritten) {
  test::Device device;
  cuda::MappedMemory mapped(device.stream());
  cuda::ReportChannel channel(device.pool(), mapped);
  expect_report(channel.send().get(), {0, 0, 0});
  for (std::uint32_t i = 1; i < 20; ++i) {
    write(device, channel, {i, 2 * i, 0xffffffffu - i});
    const cuda::PendingReport pending = channel.send();
    expect_report(pending.get(), {i, 2 * i, 0xffffffffu - i});
    expect_report(pending.get(), {i, 2 * i, 0xffffffffu - i});  // any number of times
    if (i % 3 == 0) {
      channel.clear();
      expect_report(channel.send().get(), {0, 0, 0});
    }
  }
}

TEST_F(ReportChannel, LaterWorkDoesNotChangeAReportThatWasSent) {
  test::Device device;
  cuda::MappedMemory mapped(device.stream());
  if (!mapped.host()) GTEST_SKIP() << "the system maps no memory: reports are copied when they are asked for";
  cuda::ReportChannel channel(device.pool(), mapped);
  write(device, channel, {1, 2, 3});
  const cuda::PendingReport pending = channel.send();
  write(device, channel, {7, 8, 9});
  device.synchronize();
  expect_report(pending.get(), {1, 2, 3});
}

}  // namespace
}  // namespace kann
