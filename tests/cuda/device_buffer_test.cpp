// Memory of a device for programs that use none of CUDA's own functions.
#include "kann/device_buffer.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "kann/error.hpp"

#include "cuda/gpu.hpp"

namespace kann {
namespace {

class CudaDeviceBuffer : public test::GpuTest {};

TEST_F(CudaDeviceBuffer, IsInTheMemoryOfTheDevice) {
  DeviceBuffer buffer(1000, 0);
  EXPECT_EQ(device_of(buffer.data()), 0);
  EXPECT_EQ(device_of(static_cast<std::uint8_t*>(buffer.data()) + 999), 0);
  const DeviceBuffer moved = std::move(buffer);
  EXPECT_EQ(device_of(moved.data()), 0);
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_EQ(DeviceBuffer(0, 0).data(), nullptr);
}

TEST_F(CudaDeviceBuffer, TellsMemoryOfTheHost) {
  const int on_stack = 0;
  EXPECT_EQ(device_of(&on_stack), -1);
  EXPECT_EQ(device_of(nullptr), -1);
}

TEST_F(CudaDeviceBuffer, IsCompleteOnceTheStreamHasBeenWaitedFor) {
  test::Device device;
  const std::vector<std::uint8_t> values(100000, 7);
  const auto source = device.upload(values);
  const DeviceBuffer buffer(values.size(), 0);
  cuda::check(cudaMemcpyAsync(buffer.data(), source.data(), values.size(), cudaMemcpyDeviceToDevice, device.stream()),
              "copy");
  wait_for(device.stream(), 0);
  std::vector<std::uint8_t> got(values.size());
  cuda::check(cudaMemcpy(got.data(), buffer.data(), got.size(), cudaMemcpyDeviceToHost), "copy");
  EXPECT_EQ(got, values);
}

TEST_F(CudaDeviceBuffer, RefusesTooMuchOutOfMemory) {
  try {
    DeviceBuffer(std::size_t{1} << 50, 0);
    FAIL() << "allocated";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::resources);
    EXPECT_STREQ(e.what(), "device memory: 1125899906842624 bytes more are needed");
  }
}

}  // namespace
}  // namespace kann
