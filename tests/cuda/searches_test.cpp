// Every method on every cloud, at awkward sizes, on a GPU: the bytes of brute force, of the definition or of the CPU,
// in all the ways of searches.hpp.
#include "cuda/searches.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kann/error.hpp"

#include "float64_clouds.hpp"
#include "pieces.hpp"

namespace kann::test {
namespace {

class CudaBackend : public GpuTest {};
class CudaIndex : public GpuTest {};
class CudaHardClouds : public GpuTest {};
/// These take too long under compute-sanitizer.
class CudaBackendLarge : public GpuTest {};
class CudaRowsLarge : public GpuTest {};

/// Those of the cases that have queries: for all of many data, brute force is slow.
std::vector<Case> with_queries(std::vector<Case> all) {
  std::erase_if(all, [](const Case& c) { return !c.queries; });
  return all;
}

/// The searches with so many shifts each.
std::vector<SearchOptions> in_shifts(const std::vector<int>& shifts, const std::vector<SearchOptions>& searches) {
  std::vector<SearchOptions> all;
  for (const int s : shifts)
    for (const SearchOptions& options : searches) all.emplace_back(options).shifts = s;
  return all;
}

TEST_F(CudaBackend, ExactGivesTheBytesOfBruteForce) {
  for (const int d : {2, 3}) {
    expect_rows(plain_exact, cases(1025, 700, d, 21), each(exact, {1, 2, 3, 4, 7, 8, 9, 16, 17, 32}));
    expect_rows(plain_exact, float64_cases(1025, 200, d, 24), each(exact, {1, 3, 4, 8, 16, 20, 32, 40, 200, 700}));
  }
}

TEST_F(CudaBackend, ExactGivesTheBytesOfBruteForceAtAwkwardSizes) {
  for (const std::int64_t n : {0, 1, 2, 7, 8, 9, 31, 32, 33, 255, 256, 257, 1023, 8191, 8193})
    for (const std::int64_t m : {0, 1, 31, 33, 257}) {
      const auto all = cases(n, m, m == 33 ? 2 : 3, 22, tied_clouds());
      expect_rows(plain_exact, n > 1023 ? with_queries(all) : all, each(exact, {8}));
    }
  for (const std::int64_t n : {0, 1, 2, 7, 8, 9, 255, 257, 8193})
    for (const std::int64_t m : {0, 1, 33}) {
      const auto all = float64_cases(n, m, 3, 25);
      expect_rows(plain_exact, n > 257 ? with_queries(all) : all, each(exact, {8}));
    }
}

/// Multiples of `step`: dense near the origin, where their float32 squared distances are exact, and up to 10⁶ steps
/// apart elsewhere, where they are not.
Coordinates wide_lattice(std::int64_t n, int d, float step, std::uint64_t seed) {
  Random random(seed);
  return make_cloud(n, d, [&](std::int64_t i, int) {
    return step * static_cast<float>(random.below(i % 2 == 0 ? 8 : i % 3 == 0 ? 5000 : 1000000));
  });
}

TEST_F(CudaBackend, ExactGivesTheBytesOfBruteForceOnLatticesOfAnyWidth) {
  for (const int d : {2, 3})
    for (const float step : {1.0f, 0x1p-74f, 0x1p-75f, 0x1p40f}) {
      const Points data = to_points(wide_lattice(1025, d, step, 41), d);
      // One query beside the lattice: its warp cannot rely on it
      auto beside = wide_lattice(64, d, step, 43);
      beside[17 * static_cast<std::size_t>(d)] = step * 0.3f;
      expect_rows(plain_exact,
                  {{"wide lattice", data, to_points(wide_lattice(301, d, step, 42), d)},
                   {"wide lattice, self", data, std::nullopt},
                   {"a query beside", data, to_points(beside, d)}},
                  each(exact, {1, 4, 5, 8, 16, 31}));
    }
}

/// Around the sizes from which lists are kept in another way, and around the number of points.
TEST_F(CudaBackend, ExactGivesTheBytesOfBruteForceForLongLists) {
  for (const std::int64_t k : {33, 64, 65, 128, 129, 200, 256, 257, 500, 1023, 1024, 1025, 1499, 1500, 1501})
    expect_rows(plain_exact, cases(k < 1000 ? 1100 : 1500, 40, k % 2 == 0 ? 3 : 2, 23), each(exact, {k}));
  expect_rows(plain_exact, with_queries(cases(20000, 6, 3, 23)), each(exact, {64, 256, 511, 1024, 1025, 3000, 19999}));
}

TEST_F(CudaBackend, ShiftedSortGivesTheBytesOfItsDefinition) {
  for (const int d : {2, 3})
    for (const auto& all : {cases(513, 60, d, 31), float64_cases(513, 60, d, 32)})
      expect_rows(plain_shifted_sort, all, in_shifts({1, 3, 5}, each(shifted, {1, 8, 20, 32})));
}

TEST_F(CudaBackend, ShiftedSortGivesTheBytesOfTheCpu) {
  for (const int d : {2, 3}) expect_rows(cpu_rows, cases(1025, 700, d, 21), each(shifted, {1, 2, 3, 4, 8, 13, 16, 32}));
  for (const std::int64_t n : {0, 1, 2, 7, 8, 9, 31, 32, 33, 255, 256, 257})
    for (const std::int64_t m : {0, 1, 257}) expect_rows(cpu_rows, cases(n, m, 3, 22, tied_clouds()), {shifted(8)});
}

TEST_F(CudaBackend, ShiftedSortGivesTheBytesOfTheCpuForAnyShiftsAndWindow) {
  for (const std::int64_t window : {1, 9, 5000}) {
    auto searches = in_shifts({1, 3, 5, 7}, each(shifted, {5, 32}));
    for (SearchOptions& options : searches) options.window = window;
    expect_rows(cpu_rows, cases(600, 100, 3, 24, tied_clouds()), searches);
  }
}

/// The leading bits of these points are equal, in short runs and in long ones: they must be put in order all the same.
TEST_F(CudaBackend, ShiftedSortOrdersPointsOfEqualLeadingBits) {
  for (const double spread : {1e-4, 3e-5, 1e-5, 1e-6}) {
    Random random(33);
    const Points crowded = to_points(
        make_cloud(3000, 3,
                   [&](std::int64_t i, int) { return i < 40 ? random.uniform() : 0.5 + spread * random.uniform(); }),
        3);
    const Points queries = to_points(make_cloud(500, 3, [&](auto, int) { return 0.5 + spread * random.uniform(); }), 3);
    auto searches = in_shifts({1, 3, 5, 9}, {shifted(8)});
    for (SearchOptions& options : searches) options.window = 3;
    expect_rows(cpu_rows, {{"crowded cells", crowded, queries}, {"crowded cells, self", crowded, std::nullopt}},
                searches);
  }
}

TEST_F(CudaBackend, PaperGivesTheBytesOfTheCpu) {
  for (const int d : {2, 3}) expect_rows(cpu_rows, cases(1025, 700, d, 25), each(paper, {2, 4, 8, 16}));
  expect_rows(cpu_rows, cases(600, 100, 3, 27), in_shifts({1, 3, 9}, {paper(8)}));
  for (const std::int64_t k : {2, 4, 8, 16})
    for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, k - 1, k, k + 1, 2 * k, 2 * k + 1})
      for (const std::int64_t m : {1, 33}) expect_rows(cpu_rows, cases(n, m, 3, 26, tied_clouds()), {paper(k)});
}

TEST_F(CudaBackend, KeepsAPointItselfWhenAsked) {
  std::vector<SearchOptions> searches = {shifted(8), exact(8), exact(40), paper(8)};
  for (SearchOptions& options : searches) options.include_self = true;
  expect_rows(cpu_rows, cases(500, 9, 3, 30, tied_clouds()), searches);
}

/// Row numbers stay; invalid queries have missing neighbours, and invalid data are none.
TEST_F(CudaBackend, SkipsInvalidPoints) {
  const auto expect_skipped = [](Solver solver, std::vector<Case> all, const SearchOptions& options) {
    for (Case& c : all) {
      c.data = with_invalid(std::move(c.data));
      if (c.queries) c.queries = with_invalid(std::move(*c.queries));
    }
    expect_rows(solver, all, {options});
  };
  for (const int d : {2, 3}) {
    for (const std::int64_t n : {1, 2, 9, 300})
      expect_skipped(plain_exact, cases(n, 50, d, 29, tied_clouds()), exact(8));
    expect_skipped(plain_exact, with_queries(cases(5000, 50, d, 29, tied_clouds())), exact(8));
    expect_skipped(plain_exact, float64_cases(300, 50, d, 29), exact(8));
    expect_skipped(plain_shifted_sort, cases(400, 300, d, 31, tied_clouds()), shifted(8));
  }
}

/// What the library makes of several searches, or of more neighbours than it gives.
TEST_F(CudaBackend, SearchesWithinARadiusInABoxAndOnTheSkyAsTheCpuDoes) {
  for (const int d : {2, 3}) {
    std::vector<SearchOptions> searches(5, exact(8));
    searches[0].radius = .1;
    searches[1].periodic.assign(static_cast<std::size_t>(d), .75);
    searches[2].periodic.assign(static_cast<std::size_t>(d), 1);
    searches[2].periodic[0] = 0;
    searches[2].radius = .2;
    searches[3].periodic.assign(static_cast<std::size_t>(d), 1.25);
    searches[3].images = Images::all;
    searches[4].sky = AngleUnit::deg;
    if (d == 3) searches.pop_back();
    expect_rows(cpu_rows, cases(700, 300, d, 51, tied_clouds()), searches);
    expect_rows(cpu_rows, float64_cases(300, 50, d, 52), {searches[0]});
    for (Case c : cases(700, 300, d, 53, tied_clouds())) {
      c.data = with_invalid(std::move(c.data));
      expect_rows(cpu_rows, {c}, {searches[0]});
    }
  }
}

TEST_F(CudaBackend, OutOfMemorySaysWhatWasWanted) {
  Device device;
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
  const Points cloud = to_points(uniform(20000, 3, 1), 3);
  const problem::Prepared prepared = problem::prepare(cloud, {}, shifted(8));
  const problem::Answer answer = cuda::solve(prepared.problem, 0);
  EXPECT_GT(answer.device_peak_bytes, 20000 * (12 + 64 + 48));  // points, rows, three orders
  EXPECT_GT(answer.steps.sort, 0);
  EXPECT_GT(answer.steps.select, 0);
  EXPECT_GT(answer.device.memory_bytes, 0);
}

/// Float32 queries of float32 data, then float64 ones, which need the data as given, too; and the reverse.
TEST_F(CudaIndex, TakesFloat32AndFloat64Queries) {
  const Points data = to_points(uniform(2000, 3, 1), 3);
  for (const auto& kind : float64_clouds()) {
    const Points cloud = to_points(kind.make(1000, 3, 3), 3);
    std::vector<Case> all;
    for (const Points* searched : {&data, &cloud})
      for (const Points* queries : {&data, &cloud, &data}) all.push_back({kind.name, *searched, *queries});
    expect_rows(cpu_rows, all, {shifted(8), exact(8), exact(1), exact(40), shifted(32), exact(8)});
  }
}

TEST_F(CudaIndex, GivesSomeOfItsOwnRowsInParts) {
  for (const Case& c : cases(700, 0, 3, 11)) {
    if (c.queries || thinned_out()) continue;
    const Index index(c.data);
    const std::int64_t first = 700 / 3, count = 700 / 2;
    for (SearchOptions options : {exact(8), exact(1), exact(40)}) {
      options.device.kind = DeviceKind::cuda;
      const Neighbors want = brute_force(c, options.k);
      const auto begin = static_cast<std::size_t>(first * options.k),
                 size = static_cast<std::size_t>(count * options.k);
      for (const std::int64_t at_once : {1, 7, 300, 5000}) {
        const Neighbors some = in_parts(index, std::nullopt, first, count, options, at_once);
        EXPECT_TRUE(std::ranges::equal(some.ids, std::span(want.ids).subspan(begin, size))) << c.name << at_once;
        EXPECT_TRUE(std::ranges::equal(some.distances, std::span(want.distances).subspan(begin, size))) << c.name;
      }
    }
  }
}

/// Points at distance `radius` of the origin, in any direction.
Coordinates sphere(std::int64_t n, int d, double radius, std::uint64_t seed) {
  Random random(seed);
  Coordinates c(static_cast<std::size_t>(n * d));
  for (std::int64_t i = 0; i < n; ++i) {
    double p[3], square = 1e-30;
    for (int a = 0; a < d; ++a) {
      p[a] = random.normal();
      square += p[a] * p[a];
    }
    for (int a = 0; a < d; ++a) c[i * d + a] = static_cast<float>(radius * p[a] / std::sqrt(square));
  }
  return c;
}

/// Points on spheres whose radii are powers of two.
Coordinates powers(std::int64_t n, int d, std::uint64_t seed) {
  auto c = sphere(n, d, 1, seed);
  for (std::int64_t i = 0; i < n; ++i)
    for (int a = 0; a < d; ++a) c[i * d + a] = std::ldexp(c[i * d + a], -static_cast<int>(i % 120));
  return c;
}

Coordinates log_wide(std::int64_t n, int d, std::uint64_t seed) {
  Random random(seed);
  return make_cloud(n, d,
                    [&](auto, int) { return (random.below(2) ? 1 : -1) * std::pow(10, 30 * random.uniform() - 20); });
}

/// Each of the points of a square or cubic grid once.
Coordinates whole_grid(std::int64_t n, int d) {
  const auto side = static_cast<std::int64_t>(std::pow(static_cast<double>(n), 1.0 / d));
  return make_cloud(d == 2 ? side * side : side * side * side, d, [=](std::int64_t i, int a) {
    return static_cast<double>(a == 0 ? i % side : a == 1 ? i / side % side : i / side / side);
  });
}

/// A thousand points at each of a few places.
Coordinates piles(std::int64_t n, int d, std::uint64_t seed) {
  const auto places = uniform((n + 999) / 1000, d, seed);
  return make_cloud(n, d, [&](std::int64_t i, int a) { return places[i / 1000 * d + a]; });
}

/// Points of a grid with few places, so that most points of a warp's boxes are equally far.
Coordinates crowded_grid(std::int64_t n, int d, std::uint64_t seed) {
  Random random(seed);
  return make_cloud(n, d, [&](auto, int) { return static_cast<double>(random.below(d == 2 ? 5 : 3)); });
}

Coordinates uniform_around(std::int64_t n, int d, const double (&corner)[3], std::uint64_t seed) {
  Random random(seed);
  return make_cloud(n, d, [&](auto, int a) { return corner[a] + random.uniform(); });
}

constexpr std::int64_t k_data = 20011, k_queries = 33001;

/// Clouds and queries that the first pass of the exact method leaves open: enough of them that every kernel which goes
/// on with them runs, and gives some of them up.
std::vector<Case> hard_cases(int d) {
  const auto pair = [d](std::string name, const Coordinates& data, const Coordinates& queries) {
    return Case{std::move(name), to_points(data, d), to_points(queries, d)};
  };
  const auto self = [d](std::string name, const Coordinates& data) {
    return Case{std::move(name) + ", self", to_points(data, d), std::nullopt};
  };
  return {
      pair("noise on one axis", one_axis_noise(k_data, d, 1), one_axis_noise(k_queries, d, 2)),
      self("noise on one axis", one_axis_noise(k_data, d, 1)),
      pair("above a plane", plane(k_data, d, 3), uniform_around(k_queries, d, {0, 1, 1}, 4)),
      pair("beside a line", line(k_data, d, 5), uniform_around(k_queries, d, {30, -20, 7}, 6)),
      pair("in a sphere", sphere(k_data, d, 1, 7), sphere(k_queries, d, 1e-3, 8)),
      pair("powers of two", powers(k_data, d, 9), powers(k_queries, d, 10)),
      self("powers of two", powers(k_data, d, 9)),
      pair("log-wide", log_wide(k_data, d, 11), log_wide(k_queries, d, 12)),
      self("whole grid", whole_grid(k_data, d)),
      pair("grid", lattice(k_data, d, 16), lattice(k_queries, d, 17)),
      self("crowded grid", crowded_grid(k_data, d, 18)),
      pair("crowded grid", crowded_grid(k_data, d, 18), crowded_grid(k_queries, d, 19)),
      self("identical", identical(k_data, d, 0)),
      self("piles", piles(k_data, d, 13)),
      pair("beside piles", piles(k_data, d, 13), uniform(k_queries, d, 14)),
  };
}

TEST_F(CudaHardClouds, ExactGivesTheBytesOfTheCpu) {
  expect_rows(cpu_rows, hard_cases(2), each(exact, {1, 8, 16, 20}));
  expect_rows(cpu_rows, hard_cases(3), each(exact, {1, 8, 16, 17, 32, 64, 100, 600}));
  expect_rows(cpu_rows, float64_cases(k_data, k_queries, 3, 15), each(exact, {1, 8, 16, 21, 32}));
}

constexpr std::int64_t k_many = (1 << 18) + 1;

TEST_F(CudaBackendLarge, EveryMethodOnManyPoints) {
  expect_rows(cpu_rows, cases(k_many, 1 << 17, 3, 28), {shifted(8), paper(8), exact(8)});
}

/// So many queries are undecided that the last warps are left to the search of lattices at once.
TEST_F(CudaBackendLarge, ExactOnManyPointsOfALattice) {
  for (const int d : {2, 3})
    expect_rows(cpu_rows, cases(k_many, 1 << 17, d, 30, tied_clouds()), each(exact, {1, 2, 4, 8, 16}));
}

TEST_F(CudaBackendLarge, LongListsOnManyPoints) { expect_rows(cpu_rows, cases(50000, 5000, 3, 29), {exact(1000)}); }

constexpr std::int64_t k_more_than_few = (1 << 20) + 4097;

/// Uniform points in the unit cube or square, whose first and last corner are points 0 and 1; points 2 … crowd − 1 have
/// the coordinates that place(i, axis, uniform) returns.
template <class Place>
Points with_crowd(int dimensions, std::int64_t crowd, Place place) {
  Random random(34);
  return to_points(make_cloud(k_more_than_few, dimensions,
                              [&](std::int64_t i, int axis) {
                                const double u = random.uniform();
                                return i < 2 ? static_cast<double>(i) : i < crowd ? place(i, axis, u) : u;
                              }),
                   dimensions);
}

/// More points than are sorted by coarse bits at once: the report on shift 0 decides about the other shifts. Coarse
/// bits do not suffice if points around a corner of its cells share a cell of the next shift, or if half of the points
/// share cells.
TEST_F(CudaBackendLarge, ShiftedSortOrdersManyPointsByFewBits) {
  const auto around_a_corner = [](double spread) {
    return [=](auto, auto, double u) { return 0.5 + spread * (u - 0.5); };
  };
  for (const int d : {2, 3}) {
    const Points queries = with_crowd(d, k_more_than_few / 2, around_a_corner(1e-3));
    for (const auto& [crowd, spread] :
         {std::pair{std::int64_t{0}, 0.0}, {20, 1e-5}, {66, 1e-5}, {k_more_than_few / 2, 1e-2}}) {
      const Points data = with_crowd(d, crowd, around_a_corner(spread));
      const std::string name = std::to_string(d) + "-D, " + std::to_string(crowd) + " crowded";
      expect_rows(cpu_rows, {{name, data, queries}, {name + " self", data, std::nullopt}},
                  in_shifts({1, 3, 5}, {shifted(4)}));
    }
  }
}

/// Forty points in two groups of twenty, which corners of cells separate in shifts 0 to 3 of five, but not in the last:
/// coarse bits suffice for all shifts but the last.
TEST_F(CudaBackendLarge, ShiftedSortOrdersManyPointsWhereOnlyTheLastShiftIsCrowded) {
  const Points data = with_crowd(3, 42, [](std::int64_t i, int axis, double u) {
    const double cells = axis == 0 ? (i % 2 ? 1210.0 : 2480.0) : 100.0;
    return (512 * 2048 / 2 + cells + 8 * u) / (1 << 20);
  });
  expect_rows(cpu_rows, {{"one crowd", data, std::nullopt}}, in_shifts({5}, {shifted(8)}));
}

/// Half of the points have equal leading bits: they are sorted by all bits.
TEST_F(CudaBackendLarge, ShiftedSortOrdersManyPointsByAllBits) {
  const Points data = with_crowd(3, k_more_than_few / 2, [](auto, auto, double u) { return 0.5 + 1e-5 * u; });
  expect_rows(
      cpu_rows,
      {{"crowded cells", data, to_points(uniform(1000, 3, 35), 3)}, {"crowded cells, self", data, std::nullopt}},
      each(shifted, {1, 2, 8}));
}

/// A row depends on its query, the data and the options alone.
TEST_F(CudaRowsLarge, DependOnTheirQueryAlone) {
  SearchOptions options;
  options.device.kind = DeviceKind::cuda;
  options.threads = 2;
  expect_rows_of_pieces(options);
}

}  // namespace
}  // namespace kann::test
