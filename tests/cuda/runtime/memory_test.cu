// Memory of a device: for programs that use none of CUDA's own functions, copies to it and back through pinned buffers,
// and host memory that kernels write.
#include <cstdint>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "kann/device_buffer.hpp"
#include "kann/error.hpp"
#include "kann/search.hpp"

#include "clouds.hpp"
#include "cuda/launch.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/mapped_memory.hpp"
#include "cuda/runtime/transfer.hpp"
#include "search/devices/start_up.hpp"

namespace kann::test {
namespace {

class CudaDeviceBuffer : public GpuTest {};

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
  Device device;
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

class Transfer : public GpuTest {};

constexpr std::size_t k_slot = std::size_t{1} << 20, k_all_slots = 16 * k_slot;  // as in transfer.cpp

std::vector<std::uint32_t> numbers(std::size_t bytes, std::uint32_t first) {
  std::vector<std::uint32_t> values((bytes + 3) / 4);
  std::iota(values.begin(), values.end(), first);
  return values;
}

/// The values after their first `bytes` bytes were copied to the device and back.
std::vector<std::uint32_t> round_trip(const std::vector<std::uint32_t>& values, std::size_t bytes) {
  Device device;
  const cuda::Buffer<std::uint32_t> there = device.poisoned<std::uint32_t>(static_cast<std::int64_t>(values.size()));
  std::vector<std::uint32_t> back(values);
  std::fill_n(reinterpret_cast<char*>(back.data()), bytes, '\x5a');
  cuda::upload(values.data(), bytes, there.data(), device.stream());
  cuda::download(there.data(), bytes, back.data(), device.stream());
  cuda::check(cudaStreamSynchronize(device.stream()), "round trip");
  return back;
}

TEST_F(Transfer, MovesEveryByteToTheDeviceAndBack) {
  cuda::make_staging();
  std::uint32_t first = 0;
  for (const std::size_t bytes : {std::size_t{1}, k_slot - 1, k_slot, k_slot + 1, 2 * k_slot, 3 * k_slot + 7,
                                  k_all_slots - 1, k_all_slots + 1, 5 * k_all_slots + 4321}) {
    const auto values = numbers(bytes, first += 12345);
    EXPECT_TRUE(round_trip(values, bytes) == values) << bytes;
  }
}

TEST_F(Transfer, SearchesThatShareTheBuffersTakeTurns) {
  const auto some = numbers(k_all_slots, 1), others = numbers(k_all_slots + 4, 7'000'000);
  std::vector<std::uint32_t> back;
  {
    std::jthread beside([&] { back = round_trip(others, others.size() * 4); });
    EXPECT_TRUE(round_trip(some, some.size() * 4) == some);
  }
  EXPECT_TRUE(back == others);
}

TEST_F(Transfer, AnswersAreTheSameWithWhatWasMadeAhead) {
  const Points data = to_points(uniform(100'000, 3, 1), 3);
  const Points queries = to_points(uniform(70'000, 3, 2), 3);
  SearchOptions options;
  options.device.kind = DeviceKind::cpu;
  const SearchResult want = search(data, queries, options);
  options.device.kind = DeviceKind::cuda;
  for (const bool prewarmed : {false, true}) {
    if (prewarmed) options.start_up = std::async(std::launch::async, start_device, options);
    const SearchResult got = search(data, queries, options);
    EXPECT_TRUE(got.neighbors.ids == want.neighbors.ids) << prewarmed;
    EXPECT_TRUE(got.neighbors.distances == want.neighbors.distances) << prewarmed;
    EXPECT_GT(got.report.start_up_seconds, 0);
  }
}

class MappedMemory : public GpuTest {};

/// One thread per word.
__global__ void write_kernel(std::uint32_t* d_words, std::uint32_t first) {
  const auto i = static_cast<std::uint32_t>(cuda::first_element());
  d_words[i] = first + i;
}

/// Works for a while, then sets the flag.
__global__ void slow_kernel(std::uint32_t* d_word, std::uint32_t* d_flag) {
  for (const auto begin = clock64(); clock64() - begin < 2'000'000;) continue;
  *d_word = 1;
  *d_flag = 1;
}

TEST_F(MappedMemory, HasWhatAKernelWroteAfterTheStreamIsDone) {
  Device device;
  cuda::MappedMemory mapped(device.stream());
  if (!mapped.host()) GTEST_SKIP() << "the system maps no memory";
  constexpr std::uint32_t words = cuda::MappedMemory::k_bytes / sizeof(std::uint32_t);
  for (const std::uint32_t first : {7u, 1000u}) {
    launch(device, words / 256, 256, write_kernel, static_cast<std::uint32_t*>(mapped.device()), first);
    device.synchronize();
    for (std::uint32_t i = 0; i < words; ++i) EXPECT_EQ(static_cast<const std::uint32_t*>(mapped.host())[i], first + i);
  }
}

TEST_F(MappedMemory, WaitsForTheStreamBeforeItIsFreed) {
  Device device;
  const auto d_flag = device.upload(std::vector<std::uint32_t>{0});
  {
    cuda::MappedMemory mapped(device.stream());
    if (!mapped.host()) GTEST_SKIP() << "the system maps no memory";
    launch(device, 1, 1, slow_kernel, static_cast<std::uint32_t*>(mapped.device()), d_flag);
  }
  EXPECT_EQ(cudaStreamQuery(device.stream()), cudaSuccess);
  EXPECT_EQ(device.download(d_flag)[0], 1u);
}

}  // namespace
}  // namespace kann::test
