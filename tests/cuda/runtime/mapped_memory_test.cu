// Host memory that kernels write.
#include <cstdint>

#include "cuda/gpu.hpp"
#include "cuda/runtime/mapped_memory.hpp"

namespace kann {
namespace {

class MappedMemory : public test::GpuTest {};

/// One thread per word.
__global__ void write_kernel(std::uint32_t* d_words, std::uint32_t first) {
  d_words[threadIdx.x] = first + threadIdx.x;
}

/// Works for a while, then sets the flag.
__global__ void slow_kernel(std::uint32_t* d_word, std::uint32_t* d_flag) {
  for (const auto begin = clock64(); clock64() - begin < 2'000'000;) continue;
  *d_word = 1;
  *d_flag = 1;
}

TEST_F(MappedMemory, HasWhatAKernelWroteAfterTheStreamIsDone) {
  test::Device device;
  cuda::MappedMemory mapped(device.stream());
  if (!mapped.host()) GTEST_SKIP() << "the system maps no memory";
  constexpr std::uint32_t words = cuda::MappedMemory::k_bytes / sizeof(std::uint32_t);
  for (const std::uint32_t first : {7u, 1000u}) {
    write_kernel<<<1, words, 0, device.stream()>>>(static_cast<std::uint32_t*>(mapped.device()), first);
    cuda::check_launch("write");
    device.synchronize();
    for (std::uint32_t i = 0; i < words; ++i) EXPECT_EQ(static_cast<const std::uint32_t*>(mapped.host())[i], first + i);
  }
}

TEST_F(MappedMemory, WaitsForTheStreamBeforeItIsFreed) {
  test::Device device;
  const auto d_flag = device.upload(std::vector<std::uint32_t>{0});
  {
    cuda::MappedMemory mapped(device.stream());
    if (!mapped.host()) GTEST_SKIP() << "the system maps no memory";
    slow_kernel<<<1, 1, 0, device.stream()>>>(static_cast<std::uint32_t*>(mapped.device()), d_flag.data());
    cuda::check_launch("slow");
  }
  EXPECT_EQ(cudaStreamQuery(device.stream()), cudaSuccess);
  EXPECT_EQ(device.download(d_flag)[0], 1u);
}

}  // namespace
}  // namespace kann
