// Systems of linear equations side by side, one per lane of a vector. Compiled once per vector target, after
// <hwy/highway.h>: see cpu/vector/highway.hpp.
//
// n is some 20, where a vector along a row or a column would be half empty most of the time, and every step of the
// elimination would wait for the one before.
#if defined(KANN_LANE_SYSTEMS_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef KANN_LANE_SYSTEMS_TOGGLE
#undef KANN_LANE_SYSTEMS_TOGGLE
#else
#define KANN_LANE_SYSTEMS_TOGGLE
#endif

#include <cstddef>
#include <limits>

#include "interpolation/real-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {
using namespace interpolation::HWY_NAMESPACE;

/// The columns of the matrices, and the right-hand side as one more: element (i, j) of all lanes is at `at(i, j)`.
struct LaneColumns {
  double* values;  // (n + 1) × n × k_real_lanes
  int n;

  HWY_INLINE double* column(int j) const { return values + static_cast<std::ptrdiff_t>(j) * n * k_real_lanes; }
  HWY_INLINE double* at(int i, int j) const { return column(j) + i * k_real_lanes; }
};

/// The rows that lanes exchange with row k: lanes may choose different pivots.
struct Exchanges {
  Real rows;             // per lane
  int distinct[8] = {};  // the rows other than k, each once
  int count = 0;

  HWY_INLINE Exchanges(Real rows_of_lanes, int k) : rows(rows_of_lanes) {
    HWY_ALIGN double of_lane[k_real_lanes];
    store(rows, of_lane);
    for (const double row : of_lane) {
      const int p = static_cast<int>(row);
      bool is_new = p != k;
      for (int i = 0; i < count; ++i) is_new &= distinct[i] != p;
      if (is_new) distinct[count++] = p;
    }
  }

  /// Exchanges the rows in one column; returns the new element of row k.
  HWY_INLINE Real apply(double* column, int k) const {
    const Real old = load(column + k * k_real_lanes);
    Real pivot = old;
    for (int i = 0; i < count; ++i) {
      double* const other = column + distinct[i] * k_real_lanes;
      const Truth here = rows == real(distinct[i]);
      const Real value = load(other);
      pivot = choose(here, value, pivot);
      store(choose(here, old, value), other);
    }
    store(pivot, column + k * k_real_lanes);
    return pivot;
  }
};

/// Subtracts multiples of row k from the rows below, in `count` columns from `first` on.
template <int count>
HWY_INLINE void eliminate(const LaneColumns& a, const Exchanges& exchanges, int k, int first) {
  Real pivots[count];
  double* columns[count];
  for (int c = 0; c < count; ++c) {
    columns[c] = a.column(first + c);
    pivots[c] = exchanges.apply(columns[c], k);
  }
  const double* const factors = a.column(k);
  for (int i = k + 1; i < a.n; ++i) {
    const Real factor = load(factors + i * k_real_lanes);
    for (int c = 0; c < count; ++c) {
      double* const element = columns[c] + i * k_real_lanes;
      store(fused_from(load(element), factor, pivots[c]), element);
    }
  }
}

/// Solves by Gaussian elimination with partial pivoting: the pivot is the largest magnitude, of equal ones the first
/// row, where rows are exchanged as LAPACK does. An element changes by one fused operation per pivot, in their order, a
/// factor is the product with the pivot's reciprocal; so the same bytes come from any distribution of the elements.
/// Destroys the columns; the solutions are in the last. Returns the lanes whose pivots all are above `smallest` and
/// finite; elements that are NaN are no pivots.
HWY_INLINE Truth solve_lanes(const LaneColumns& a, double smallest) {
  const int n = a.n;
  Truth good = real(0) == real(0);
  for (int k = 0; k < n; ++k) {
    double* const column = a.column(k);
    Real largest = real(-1), row = real(k);
    for (int i = k; i < n; ++i) {
      const Real size = magnitude(load(column + i * k_real_lanes));
      const Truth is_larger = size > largest;
      largest = choose(is_larger, size, largest);
      row = choose(is_larger, real(i), row);
    }
    good = both(good, both(largest > real(smallest), largest < real(std::numeric_limits<double>::infinity())));
    const Exchanges exchanges(row, k);
    const Real reciprocal = real(1) / exchanges.apply(column, k);
    store(reciprocal, column + k * k_real_lanes);
    for (int i = k + 1; i < n; ++i) store(load(column + i * k_real_lanes) * reciprocal, column + i * k_real_lanes);
    int j = k + 1;
    for (; j + 4 <= n + 1; j += 4) eliminate<4>(a, exchanges, k, j);
    for (; j < n + 1; ++j) eliminate<1>(a, exchanges, k, j);
  }
  double* const x = a.column(n);
  for (int k = n - 1; k >= 0; --k) {
    const double* const column = a.column(k);
    const Real solution = load(x + k * k_real_lanes) * load(column + k * k_real_lanes);
    store(solution, x + k * k_real_lanes);
    for (int i = 0; i < k; ++i)
      store(fused_from(load(x + i * k_real_lanes), load(column + i * k_real_lanes), solution), x + i * k_real_lanes);
  }
  return good;
}

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
