// The current device, during a scope and after it.
#include "cuda/runtime/device_scope.hpp"

#include "kann/error.hpp"

#include "cuda/gpu.hpp"

namespace kann {
namespace {

class DeviceScope : public test::GpuTest {};

int current_device() {
  int device = -1;
  cuda::check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

TEST_F(DeviceScope, MakesItsDeviceCurrentAndThenTheOneBefore) {
  const int before = current_device();
  int devices = 0;
  cuda::check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  for (int device = 0; device < devices; ++device) {
    {
      const cuda::DeviceScope scope(device);
      EXPECT_EQ(current_device(), device);
      {
        const cuda::DeviceScope inner(0);
        EXPECT_EQ(current_device(), 0);
      }
      EXPECT_EQ(current_device(), device);
    }
    EXPECT_EQ(current_device(), before);
  }
}

TEST_F(DeviceScope, ARefusedDeviceLeavesTheCurrentOneAndNoError) {
  const int before = current_device();
  for (const int device : {-1, 1000}) {
    try {
      const cuda::DeviceScope scope(device);
      ADD_FAILURE() << "device " << device << " does not exist";
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::no_device) << e.what();
    }
    EXPECT_EQ(current_device(), before);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  }
}

TEST_F(DeviceScope, AnExceptionRestoresTheDevice) {
  const int before = current_device();
  int devices = 0;
  cuda::check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  try {
    const cuda::DeviceScope scope(devices - 1);
    throw Error(ErrorKind::internal, "thrown in a scope");
  } catch (const Error&) {
    EXPECT_EQ(current_device(), before);
  }
}

}  // namespace
}  // namespace kann
