// Both CUDA pipelines against the CPU backend, and the exact method against brute force, byte for byte, on every cloud.
#include "cuda/backend.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "kann/error.hpp"
#include "kann/search.hpp"

#include "cuda/gpu.hpp"
#include "cuda/runtime/list_size.hpp"
#include "cuda/same_bytes.hpp"
#include "float64_clouds.hpp"

namespace kann {
namespace {

using test::exact, test::shifted, test::paper;
using test::expect_brute_force_bytes, test::expect_cpu_bytes, test::expect_definition, test::same_bytes;

class CudaBackend : public test::GpuTest {};

TEST_F(CudaBackend, FusedGivesTheBytesOfTheCpu) {
  for (const int d : {2, 3})
    for (const std::int64_t k : {1, 2, 3, 4, 8, 13, 16, 32})
      for (const auto& c : test::cases(1025, 700, d, 21)) ASSERT_NO_FATAL_FAILURE(expect_cpu_bytes(c, shifted(k)));
}

TEST_F(CudaBackend, FusedGivesTheBytesOfTheCpuAtAwkwardSizes) {
  constexpr std::int64_t k = 8;
  for (const std::int64_t n : {0, 1, 2, 7, 8, 9, 31, 32, 33, 255, 256, 257})
    for (const std::int64_t m : {0, 1, 257})
      for (const auto& c : test::cases(n, m, 3, 22, test::tied_clouds()))
        ASSERT_NO_FATAL_FAILURE(expect_cpu_bytes(c, shifted(k)));
}

/// Around the sizes from which lists are kept in another way, and around the number of points.
constexpr std::int64_t k_long_lists[] = {33, 64, 65, 128, 129, 200, 256, 257, 500, 1023, 1024, 1025, 1499, 1500, 1501};

TEST_F(CudaBackend, FusedGivesTheBytesOfTheCpuForAnyShiftsAndWindow) {
  for (const auto& c : test::cases(600, 100, 3, 24, test::tied_clouds()))
    for (const int shifts : {1, 3, 5, 7})
      for (const std::int64_t window : {1, 9, 5000})
        for (const std::int64_t k : {5, 32}) {
          SearchOptions options = shifted(k);
          options.shifts = shifts;
          options.window = window;
          ASSERT_NO_FATAL_FAILURE(expect_cpu_bytes(c, options));
        }
}

TEST_F(CudaBackend, FusedGivesTheBytesOfItsDefinition) {
  for (const int d : {2, 3})
    for (const std::int64_t k : {1, 8, 20, 32})
      for (const int shifts : {1, 3, 5}) {
        SearchOptions options = shifted(k);
        options.shifts = shifts;
        for (const auto& c : test::cases(513, 60, d, 31)) ASSERT_NO_FATAL_FAILURE(expect_definition(c, options));
        for (const auto& c : test::float64_cases(513, 60, d, 32))
          ASSERT_NO_FATAL_FAILURE(expect_definition(c, options));
      }
}

TEST_F(CudaBackend, ExactGivesTheBytesOfBruteForce) {
  for (const int d : {2, 3})
    for (const std::int64_t k : {1, 2, 3, 4, 7, 8, 9, 16, 17, 32})
      for (const auto& c : test::cases(1025, 700, d, 21))
        ASSERT_NO_FATAL_FAILURE(expect_brute_force_bytes(c, exact(k)));
}

TEST_F(CudaBackend, ExactGivesTheBytesOfBruteForceForFloat64) {
  for (const int d : {2, 3})
    for (const std::int64_t k : {1, 3, 4, 8, 16, 20, 32, 40, 200, 700})
      for (const auto& c : test::float64_cases(1025, 200, d, 24))
        ASSERT_NO_FATAL_FAILURE(expect_brute_force_bytes(c, exact(k)));
}

TEST_F(CudaBackend, ExactGivesTheBytesOfBruteForceForFloat64AtAwkwardSizes) {
  constexpr std::int64_t k = 8;
  for (const std::int64_t n : {0, 1, 2, 7, 8, 9, 255, 257, 8193})
    for (const std::int64_t m : {0, 1, 33})
      for (const auto& c : test::float64_cases(n, m, 3, 25)) {
        if (!c.queries && n > 257) continue;  // brute force is slow
        ASSERT_NO_FATAL_FAILURE(expect_brute_force_bytes(c, exact(k)));
      }
}

TEST_F(CudaBackend, ExactGivesTheBytesOfBruteForceAtAwkwardSizes) {
  constexpr std::int64_t k = 8;
  for (const std::int64_t n : {0, 1, 2, 7, 8, 9, 31, 32, 33, 255, 256, 257, 8191, 8193})
    for (const std::int64_t m : {0, 1, 31, 33, 257})
      for (const auto& c : test::cases(n, m, 3, 22, test::tied_clouds())) {
        if (!c.queries && n > 257) continue;  // brute force is slow
        ASSERT_NO_FATAL_FAILURE(expect_brute_force_bytes(c, exact(k)));
      }
}

/// Multiples of `step`: dense near the origin, where their float32 squared distances are exact, and up to 10⁶ steps
/// apart elsewhere, where they are not.
std::vector<float> wide_lattice(std::int64_t n, int d, float step, std::uint64_t seed) {
  test::Random random(seed);
  return test::make_cloud(n, d, [&](std::int64_t i, int) {
    return step * static_cast<float>(random.below(i % 2 == 0 ? 8 : i % 3 == 0 ? 5000 : 1000000));
  });
}

TEST_F(CudaBackend, ExactGivesTheBytesOfBruteForceOnLatticesOfAnyWidth) {
  for (const int d : {2, 3})
    for (const float step : {1.0f, 0x1p-74f, 0x1p-75f, 0x1p40f})
      for (const std::int64_t k : {1, 4, 5, 8, 16, 31}) {
        const Points data = test::to_points(wide_lattice(1025, d, step, 41), d);
        const Points queries = test::to_points(wide_lattice(301, d, step, 42), d);
        ASSERT_NO_FATAL_FAILURE(expect_brute_force_bytes({"wide lattice", data, queries}, exact(k)));
        ASSERT_NO_FATAL_FAILURE(expect_brute_force_bytes({"wide lattice, self", data, std::nullopt}, exact(k)));
        // One query beside the lattice: its warp cannot rely on it
        auto beside = wide_lattice(64, d, step, 43);
        beside[17 * static_cast<std::size_t>(d)] = step * 0.3f;
        ASSERT_NO_FATAL_FAILURE(
            expect_brute_force_bytes({"a query beside", data, test::to_points(beside, d)}, exact(k)));
      }
}

TEST_F(CudaBackend, ExactGivesTheBytesOfBruteForceForLongLists) {
  for (const std::int64_t k : k_long_lists)
    for (const auto& c : test::cases(k < 1000 ? 1100 : 1500, 40, k % 2 == 0 ? 3 : 2, 23))
      ASSERT_NO_FATAL_FAILURE(expect_brute_force_bytes(c, exact(k)));
  for (const auto& kind : test::all_clouds())
    for (const std::int64_t k : {64, 256, 511, 1024, 1025, 3000, 19999}) {
      const test::Case c{kind.name, test::to_points(kind.make(20000, 3, 23), 3),
                         test::to_points(kind.make(6, 3, 24), 3)};
      ASSERT_NO_FATAL_FAILURE(expect_brute_force_bytes(c, exact(k)));
    }
}

/// The leading bits of these points are equal, in short runs and in long ones: they must be put in order all the same.
TEST_F(CudaBackend, FusedOrdersPointsOfEqualLeadingBits) {
  for (const double spread : {1e-4, 3e-5, 1e-5, 1e-6}) {
    test::Random random(33);
    auto crowded = test::make_cloud(
        3000, 3, [&](std::int64_t i, int) { return i < 40 ? random.uniform() : 0.5 + spread * random.uniform(); });
    const auto queries = test::make_cloud(500, 3, [&](auto, int) { return 0.5 + spread * random.uniform(); });
    for (const int shifts : {1, 3, 5, 9}) {
      SearchOptions options = shifted(8);
      options.shifts = shifts;
      options.window = 3;
      expect_cpu_bytes({"crowded cells", test::to_points(crowded, 3), test::to_points(queries, 3)}, options);
      expect_cpu_bytes({"crowded cells, self", test::to_points(crowded, 3), std::nullopt}, options);
    }
  }
}

TEST_F(CudaBackend, PaperGivesTheBytesOfTheCpu) {
  for (const int d : {2, 3})
    for (const std::int64_t k : {2, 4, 8, 16})
      for (const auto& c : test::cases(1025, 700, d, 25)) ASSERT_NO_FATAL_FAILURE(expect_cpu_bytes(c, paper(k)));
}

TEST_F(CudaBackend, PaperGivesTheBytesOfTheCpuAtAwkwardSizes) {
  for (const std::int64_t k : {2, 4, 8, 16})
    for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, k - 1, k, k + 1, 2 * k, 2 * k + 1})
      for (const std::int64_t m : {1, 33})
        for (const auto& c : test::cases(n, m, 3, 26, test::tied_clouds()))
          ASSERT_NO_FATAL_FAILURE(expect_cpu_bytes(c, paper(k)));
}

TEST_F(CudaBackend, PaperGivesTheBytesOfTheCpuForAnyShifts) {
  for (const auto& c : test::cases(600, 100, 3, 27))
    for (const int shifts : {1, 3, 9}) {
      SearchOptions options = paper(8);
      options.shifts = shifts;
      ASSERT_NO_FATAL_FAILURE(expect_cpu_bytes(c, options));
    }
}

TEST_F(CudaBackend, KeepsAPointItselfWhenAsked) {
  for (SearchOptions options : {shifted(8), exact(8), paper(8)}) {
    options.include_self = true;
    for (const auto& kind : test::tied_clouds())
      expect_cpu_bytes({kind.name, test::to_points(kind.make(500, 3, 30), 3), std::nullopt}, options);
  }
}

TEST_F(CudaBackend, SkipsInvalidPointsAsTheCpuDoes) {
  auto data = test::uniform(400, 3, 31), queries = test::uniform(300, 3, 32);
  for (std::size_t i = 0; i < data.size(); i += 50) data[i] = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t i = 7; i < queries.size(); i += 31) queries[i] = std::numeric_limits<float>::infinity();
  SearchOptions options = shifted(8);
  options.invalid = InvalidPoints::skip;
  const auto on = [&](DeviceKind kind) {
    options.device.kind = kind;
    return search(test::to_points(data, 3), test::to_points(queries, 3), options).neighbors;
  };
  const Neighbors cpu = on(DeviceKind::cpu), gpu = on(DeviceKind::cuda);
  EXPECT_TRUE(same_bytes(gpu.ids, cpu.ids));
  EXPECT_TRUE(same_bytes(gpu.distances, cpu.distances));
}

TEST_F(CudaBackend, OutOfMemorySaysWhatWasWanted) {
  test::Device device;
  cuda::Pool pool(device.stream());
  try {
    cuda::Buffer<char> buffer(pool, std::int64_t{1} << 50);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.exit_code(), 4);
    EXPECT_NE(std::string(e.what()).find("1125899906842624 bytes"), std::string::npos) << e.what();
  }
  cuda::Buffer<int> after(pool, 1000);  // the pool can be used as before
  cuda::Buffer<int> moved = std::move(after);
  EXPECT_EQ(after.data(), nullptr);
  EXPECT_EQ(moved.size(), 1000);
  EXPECT_EQ(pool.peak_bytes(), 4000);
}

TEST_F(CudaBackend, NamesADeviceThatDoesNotExist) {
  const CudaStatus status = cuda::status(1000);
  EXPECT_FALSE(status.usable);
  EXPECT_NE(status.reason.find("cuda:1000 does not exist"), std::string::npos) << status.reason;
  EXPECT_TRUE(cuda::status(0).usable);  // no error is left
}

TEST_F(CudaBackend, ReportsStepsAndMemory) {
  const Points cloud = test::to_points(test::uniform(20000, 3, 1), 3);
  const problem::Prepared prepared = problem::prepare(cloud, {}, shifted(8));
  const problem::Answer answer = cuda::solve(prepared.problem, 0);
  EXPECT_GT(answer.device_peak_bytes, 20000 * (12 + 64 + 48));  // points, rows, three orders
  EXPECT_GT(answer.steps.sort, 0);
  EXPECT_GT(answer.steps.select, 0);
  EXPECT_GT(answer.device.memory_bytes, 0);
}

}  // namespace
}  // namespace kann
