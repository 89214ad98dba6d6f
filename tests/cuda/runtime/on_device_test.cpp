// Work on another device than the caller's: the caller's stays current, and no context is made on it.
#include "cuda/runtime/on_device.hpp"

#include <cuda.h>
#include <stdexcept>
#include <thread>

#include "clouds.hpp"
#include "cuda/gpu.hpp"
#include "problem/prepare.hpp"

namespace kann {
namespace {

using cuda::check, cuda::device_count, cuda::on_device;

/// Whether the process has a context on a device, by the driver.
bool has_context(int device) {
  using GetState = CUresult(CUdevice, unsigned*, int*);
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
  check(cudaGetDriverEntryPointByVersion("cuDevicePrimaryCtxGetState", &entry, 12000, cudaEnableDefault, &found),
        "cuDevicePrimaryCtxGetState");
#else
  check(cudaGetDriverEntryPoint("cuDevicePrimaryCtxGetState", &entry, cudaEnableDefault, &found),
        "cuDevicePrimaryCtxGetState");
#endif
  unsigned flags = 0;
  int active = 0;
  if (reinterpret_cast<GetState*>(entry)(device, &flags, &active) != CUDA_SUCCESS)
    throw std::runtime_error("cuDevicePrimaryCtxGetState");
  return active != 0;
}

class OnDevice : public test::GpuTest {
 protected:
  static int current_device() {
    int device = -1;
    check(cudaGetDevice(&device), "cudaGetDevice");
    return device;
  }
};

TEST_F(OnDevice, RunsOnTheDeviceAndLeavesTheCallersCurrent) {
  const int before = current_device();
  for (int device = 0; device < device_count(); ++device) {
    EXPECT_EQ(on_device(device, current_device), device);
    EXPECT_EQ(current_device(), before);
  }
}

TEST_F(OnDevice, RunsOnTheCallersThreadWhereItsDeviceIsTheOne) {
  const auto here = std::this_thread::get_id();
  EXPECT_EQ(on_device(current_device(), [] { return std::this_thread::get_id(); }), here);
}

TEST_F(OnDevice, AnInvalidDeviceIsAnErrorThatIsReportedOnce) {
  const int before = current_device();
  EXPECT_THROW(on_device(device_count(), [] { return 0; }), Error);
  EXPECT_EQ(current_device(), before);
  EXPECT_NO_THROW(cuda::check_launch("nothing"));
}

TEST_F(OnDevice, AnExceptionReachesTheCaller) {
  for (int device = 0; device < device_count(); ++device)
    EXPECT_THROW(on_device(device, []() -> int { throw std::runtime_error("of f"); }), std::runtime_error);
}

/// In a process of its own, and without the fixture: the other tests make contexts.
TEST(OnTwoDevices, OnlyTheOneThatSearchesHasAContext) {
  if (device_count() < 2) GTEST_SKIP() << "one GPU, two are needed";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        const problem::Prepared prepared =
            problem::prepare(test::to_points(test::uniform(5000, 3, 1), 3), {}, SearchOptions());
        const bool usable = cuda::status(1).usable;
        const bool found = cuda::solve(prepared.problem, 1).neighbors.queries == 5000;
        std::_Exit(usable && found && has_context(1) && !has_context(0) ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace kann
