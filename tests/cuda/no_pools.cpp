// With KANN_TEST_POOLS=0 in the environment, devices report no memory pools: every buffer is then an allocation of its
// own, whose bounds a memory checker knows. The linker replaces the runtime's function by this one (--wrap).
#include <cstdlib>
#include <cuda_runtime_api.h>
#include <string_view>

extern "C" cudaError_t __real_cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);

extern "C" cudaError_t __wrap_cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  const char* const pools = std::getenv("KANN_TEST_POOLS");
  if (attribute == cudaDevAttrMemoryPoolsSupported && pools && std::string_view(pools) == "0") {
    *value = 0;
    return cudaSuccess;
  }
  return __real_cudaDeviceGetAttribute(value, attribute, device);
}
