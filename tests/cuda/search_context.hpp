// One problem on the device, for the tests of steps: a search context and the points that steps read.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "cuda/gpu.hpp"
#include "cuda/order/point_source.hpp"
#include "cuda/placed_points.hpp"
#include "cuda/plain_order.hpp"
#include "cuda/runtime/search_context.hpp"
#include "problems.hpp"

namespace kann::test {

/// Options of the shifted sort with so many shifts.
inline SearchOptions with_shifts(int shifts) {
  SearchOptions options;
  options.k = 8;
  options.method = Method::shifted_sort;
  options.shifts = shifts;
  return options;
}

/// Shift j of a problem.
inline cuda::Shift shift_of(const problem::Problem& p, int j) { return cuda::shift_of(p.dimensions, j, p.shifts); }

/// One case for every kind of cloud, without separate queries.
inline std::vector<Case> data_cases(std::int64_t n, int d, std::uint64_t seed,
                                    const std::vector<CloudKind>& kinds = all_clouds()) {
  std::vector<Case> all;
  for (const auto& kind : kinds)
    all.push_back({kind.name + " n=" + std::to_string(n) + " d=" + std::to_string(d),
                   to_points(kind.make(n, d, seed), d), std::nullopt});
  return all;
}

/// A case, prepared and uploaded. The case must outlive it.
struct CaseContext {
  CaseContext(const Case& c, int shifts) : prepared(c.prepare(with_shifts(shifts))) {}

  problem::Prepared prepared;
  const problem::Problem& p = prepared.problem;
  const cuda::Memory memory;
  cuda::Workspace workspace{memory};
  cuda::SearchContext context{p, workspace};
};

/// The same, with memory for what a test compares.
struct UploadedCase : CaseContext, DeviceMemory {
  explicit UploadedCase(const Case& c, int shifts = 3) : CaseContext(c, shifts), DeviceMemory(workspace.pool) {}

  cuda::PointSource data_rows() const { return {context.d_data(), nullptr, p.grid}; }
};

/// Whether two points are the same to the last bit.
inline bool same_point(const cuda::PlacedPoint& a, const cuda::PlacedPoint& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// `placed` must be the data points in the order of `rows`, each with its row as index.
inline void expect_placed(const problem::Problem& p, const std::vector<std::uint32_t>& rows,
                          const std::vector<cuda::PlacedPoint>& placed) {
  ASSERT_EQ(placed.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(placed[i].index, rows[i]) << "place " << i;
    ASSERT_TRUE(same_point(placed[i], placed_point(p.data, p.dimensions, rows[i]))) << "place " << i;
  }
}

}  // namespace kann::test
