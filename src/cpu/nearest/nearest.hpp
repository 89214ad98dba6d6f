// The search of the exact method: a descent through a tree of boxes that skips those that can hold nothing nearer.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "cpu/nearest/boxes.hpp"
#include "cpu/vector/host_rows.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/vector/placed_points.hpp"
#include "problem/problem.hpp"

namespace kann::cpu {

/// The number of queries that descend together, so that the buckets near any of them are found once (2¹⁸ queries, k =
/// 8: 80 ms on one thread, 83 with 8 queries together). The widest vector has as many lanes, so that it bounds all of
/// these queries at once.
inline constexpr int k_nearest_team = 16;

/// A query, and a squared distance in float64 that k points do not exceed: infinite where none is known.
struct BoundedQuery {
  std::int64_t query;
  double sq_dist;
};

template <int D>
struct NearestSearch {
  const Problem* problem = nullptr;
  PlacedView<D> data;                               ///< near points are near each other in it; ids: indices
  const std::vector<BoxLevel<D>>* boxes = nullptr;  ///< over `data`
  PlacedView<D> queries;                            ///< ids: rows of the result
  /// The ranks of the queries among the data, or their own places if the problem drops these.
  const std::uint32_t* ranks = nullptr;
  HostRows rows;
  float exact_below = 0;  ///< squared distances in float32 are exact up to this; 0: none are known to be (lattice.hpp)
  // The data as they were given, and boxes over them; set if the problem is rounded
  PlacedView<D, double> given_data;
  const std::vector<BoxLevel<D, double>>* given_boxes = nullptr;

  /// The data as they were given: float64s where the problem is rounded, otherwise float32s.
  template <class Real>
  const PlacedView<D, Real>& exact_data() const {
    if constexpr (std::is_same_v<Real, double>) {
      return given_data;
    } else {
      return data;
    }
  }
  template <class Real>
  const std::vector<BoxLevel<D, Real>>& exact_boxes() const {
    if constexpr (std::is_same_v<Real, double>) {
      return *given_boxes;
    } else {
      return *boxes;
    }
  }

  /// The coordinates of a query as they were given. Float64s are read where the caller has them, since each query is
  /// read once.
  template <class Real>
  std::array<double, D> exact_query(std::int64_t query) const {
    std::array<double, D> point;
    for (int a = 0; a < D; ++a) {
      if constexpr (std::is_same_v<Real, double>) {
        point[a] = given_query(query)[a];
      } else {
        point[a] = static_cast<double>(queries.axes[a][query]);
      }
    }
    return point;
  }
  const double* given_query(std::int64_t query) const {
    return problem->given_queries + static_cast<std::int64_t>(queries.ids[query]) * D;
  }
};

/// Finds the neighbours of queries [begin, end): a team at a time by float32, which filters, and by float64 where that
/// does not decide which points they are.
template <int D>
void find_nearest(const NearestSearch<D>& search, std::int64_t begin, std::int64_t end);

}  // namespace kann::cpu
