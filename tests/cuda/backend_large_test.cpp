// The same as backend_test.cpp on more points, which take too long under compute-sanitizer.
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "cuda/gpu.hpp"
#include "cuda/same_bytes.hpp"

namespace kann {
namespace {

using test::exact, test::shifted, test::paper, test::expect_cpu_bytes;

class CudaBackendLarge : public test::GpuTest {};

TEST_F(CudaBackendLarge, BothPipelinesOnManyPoints) {
  for (const auto& c : test::cases((1 << 18) + 1, 1 << 17, 3, 28)) {
    ASSERT_NO_FATAL_FAILURE(expect_cpu_bytes(c, shifted(8)));
    ASSERT_NO_FATAL_FAILURE(expect_cpu_bytes(c, paper(8)));
  }
}

constexpr std::int64_t k_more_than_few = (1 << 20) + 4097;

/// Uniform points in the unit cube or square, whose first and last corner are points 0 and 1; points 2 … crowd − 1 have
/// the coordinates that place(i, axis, uniform) returns.
template <class Place>
Points crowded(int dimensions, std::int64_t crowd, Place place) {
  test::Random random(34);
  return test::to_points(test::make_cloud(k_more_than_few, dimensions,
                                          [&](std::int64_t i, int axis) {
                                            const double u = random.uniform();
                                            return i < 2 ? static_cast<double>(i) : i < crowd ? place(i, axis, u) : u;
                                          }),
                         dimensions);
}

/// More points than are sorted by coarse bits at once: the report on shift 0 decides about the other shifts. Coarse
/// bits do not suffice if points around a corner of its cells share a cell of the next shift, or if half of the points
/// share cells.
TEST_F(CudaBackendLarge, FusedOrdersManyPointsByFewBits) {
  const auto around_a_corner = [](double spread) {
    return [=](auto, auto, double u) { return 0.5 + spread * (u - 0.5); };
  };
  for (const int d : {2, 3}) {
    const Points queries = crowded(d, k_more_than_few / 2, around_a_corner(1e-3));
    for (const auto& [crowd, spread] :
         {std::pair{std::int64_t{0}, 0.0}, {20, 1e-5}, {66, 1e-5}, {k_more_than_few / 2, 1e-2}}) {
      const Points data = crowded(d, crowd, around_a_corner(spread));
      for (const int shifts : {1, 3, 5}) {
        SearchOptions options = shifted(4);
        options.shifts = shifts;
        const std::string name =
            std::to_string(d) + "-D, " + std::to_string(crowd) + " crowded, S=" + std::to_string(shifts);
        ASSERT_NO_FATAL_FAILURE(expect_cpu_bytes({name, data, queries}, options));
        ASSERT_NO_FATAL_FAILURE(expect_cpu_bytes({name + " self", data, std::nullopt}, options));
      }
    }
  }
}

/// Forty points in two groups of twenty, which corners of cells separate in shifts 0 to 3 of five, but not in the last:
/// coarse bits suffice for all shifts but the last.
TEST_F(CudaBackendLarge, FusedOrdersManyPointsWhereOnlyTheLastShiftIsCrowded) {
  const Points data = crowded(3, 42, [](std::int64_t i, int axis, double u) {
    const double cells = axis == 0 ? (i % 2 ? 1210.0 : 2480.0) : 100.0;
    return (512 * 2048 / 2 + cells + 8 * u) / (1 << 20);
  });
  SearchOptions options = shifted(8);
  options.shifts = 5;
  expect_cpu_bytes({"one crowd", data, std::nullopt}, options);
}

/// Half of the points have equal leading bits: they are sorted by all bits.
TEST_F(CudaBackendLarge, FusedOrdersManyPointsByAllBits) {
  const Points data = crowded(3, k_more_than_few / 2, [](auto, auto, double u) { return 0.5 + 1e-5 * u; });
  const Points queries = test::to_points(test::uniform(1000, 3, 35), 3);
  for (const std::int64_t k : {1, 2, 8}) {
    expect_cpu_bytes({"crowded cells", data, queries}, shifted(k));
    expect_cpu_bytes({"crowded cells, self", data, std::nullopt}, shifted(k));
  }
}

TEST_F(CudaBackendLarge, ExactOnManyPoints) {
  for (const auto& c : test::cases((1 << 18) + 1, 1 << 17, 3, 28))
    ASSERT_NO_FATAL_FAILURE(expect_cpu_bytes(c, exact(8)));
}

/// So many queries are undecided that the last warps are left to the search of lattices at once.
TEST_F(CudaBackendLarge, ExactOnManyPointsOfALattice) {
  for (const int d : {2, 3})
    for (const auto& c : test::cases((1 << 18) + 1, 1 << 17, d, 30, test::tied_clouds()))
      for (const std::int64_t k : {1, 2, 4, 8, 16}) ASSERT_NO_FATAL_FAILURE(expect_cpu_bytes(c, exact(k)));
}

TEST_F(CudaBackendLarge, LongListsOnManyPoints) {
  for (const auto& c : test::cases(50000, 5000, 3, 29)) ASSERT_NO_FATAL_FAILURE(expect_cpu_bytes(c, exact(1000)));
}

}  // namespace
}  // namespace kann
