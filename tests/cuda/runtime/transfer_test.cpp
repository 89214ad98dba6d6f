// Copies through pinned buffers move every byte, at all sizes, and while another thread copies.
#include "cuda/runtime/transfer.hpp"

#include <numeric>
#include <thread>

#include "kann/error.hpp"

#include "cpu/backend.hpp"
#include "cuda/gpu.hpp"
#include "problems.hpp"
#include "search/devices/start_up.hpp"

namespace kann {
namespace {

class Transfer : public test::GpuTest {};

constexpr std::size_t k_slot = std::size_t{1} << 20, k_all_slots = 16 * k_slot;  // as in transfer.cpp

std::vector<std::uint32_t> numbers(std::size_t bytes, std::uint32_t first) {
  std::vector<std::uint32_t> values((bytes + 3) / 4);
  std::iota(values.begin(), values.end(), first);
  return values;
}

/// The values after their first `bytes` bytes were copied to the device and back.
std::vector<std::uint32_t> round_trip(const std::vector<std::uint32_t>& values, std::size_t bytes) {
  test::Device device;
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
  const Points data = test::to_points(test::uniform(100'000, 3, 1), 3);
  const Points queries = test::to_points(test::uniform(70'000, 3, 2), 3);
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

TEST_F(Transfer, ResultArraysMayHaveAnySizeBefore) {
  const auto c = test::cases(3000, 2000, 3, 5).front();
  SearchOptions options;
  const problem::Prepared prepared = c.prepare(options);
  const Neighbors want = cpu::solve(prepared.problem).neighbors;
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, want.ids.size(), 2 * want.ids.size()}) {
    Neighbors made;
    made.ids.assign(size, 99);
    made.distances.assign(size, 99.0f);
    const Neighbors got = cuda::solve(prepared.problem, 0, std::move(made)).neighbors;
    EXPECT_TRUE(got.ids == want.ids && got.distances == want.distances) << size;
  }
}

}  // namespace
}  // namespace kann
