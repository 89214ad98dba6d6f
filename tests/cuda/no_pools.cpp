// With KANN_TEST_POOLS=0 in the environment, devices seem to have no memory pools: every buffer is an allocation of its
// own then, whose bounds a memory checker knows. The linker puts this in place of the runtime's function (--wrap).
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
