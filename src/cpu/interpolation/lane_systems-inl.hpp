// Systems of linear equations side by side, one per lane of a vector. Compiled once per vector target: see
// cpu/vector/highway.hpp.
//
// Typical systems have some 20 rows. A vector along a row or a column would be half empty most of the time, and every
// step of the elimination would wait for the one before.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "cpu/vector/highway.hpp"
#include "geometry/interpolation/real-inl.hpp"  // into the namespace of the target, which is known by now
#include "geometry/interpolation/shape.hpp"

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

/// The largest magnitude in rows of a column that come one after the other, and the first row that has it.
struct PivotSearch {
  Real largest = real(-1);  // NaN is never larger
  Real row;                 // the row of the largest; the first row where all are NaN
  Real next;                // the row that comes next

  HWY_INLINE explicit PivotSearch(int first) : row(real(first)), next(real(first)) {}

  HWY_INLINE void see(Real element) {
    const Real size = magnitude(element);
    const Truth is_larger = size > largest;
    largest = larger(size, largest);
    row = choose(is_larger, next, row);
    next = next + real(1);
  }
};

/// The pivots of step k. Lanes may choose different rows, which they exchange with row k. The elements of row k are not
/// stored in these rows at once, but when the rows change next.
class Pivots {
 public:
  /// @param row per lane, the row that becomes row k of n
  HWY_INLINE void set(int k, int n, Real row) {
    Real number = real(k);
    for (int i = k + 1; i < n; ++i) {
      number = number + real(1);
      exchanged_[i] = row == number;
    }
    list_rows(row, k);
  }

  /// The lanes that exchange row i with row k.
  HWY_INLINE Truth exchanged(int i) const { return exchanged_[i]; }

  /// The new row k of some columns.
  template <int width>
  HWY_INLINE void take(double* const (&columns)[width], const Real (&old)[width], Real (&pivots)[width]) const {
    for (int c = 0; c < width; ++c) pivots[c] = old[c];
    for (int i = 0; i < count_; ++i) {
      const Truth here = exchanged_[rows_[i]];
      const std::ptrdiff_t at = std::ptrdiff_t{rows_[i]} * k_real_lanes;
      for (int c = 0; c < width; ++c) pivots[c] = choose(here, load(columns[c] + at), pivots[c]);
    }
  }

 private:
  /// Lists the rows, other than k, that any lane exchanges, each once. A set of bits does that without branches.
  HWY_INLINE void list_rows(Real row, int k) {
    HWY_ALIGN double of_lane[k_real_lanes];
    store(row, of_lane);
    std::uint64_t offsets[2] = {};  // from k, 1 to 127
    for (const double lane_row : of_lane) {
      const unsigned offset = static_cast<unsigned>(static_cast<int>(lane_row) - k);
      offsets[offset / 64] |= std::uint64_t{1} << offset % 64;
    }
    offsets[0] &= ~std::uint64_t{1};
    count_ = 0;
    for (int half = 0; half < 2; ++half)
      for (std::uint64_t left = offsets[half]; left; left &= left - 1)
        rows_[count_++] = k + 64 * half + std::countr_zero(left);
  }

  Truth exchanged_[interpolation::k_max_rows];
  int rows_[8];  // that any lane exchanges
  int count_ = 0;
};

/// Exchanges the rows of column k, and makes the elements below the pivot the factors of its row.
HWY_INLINE void make_factors(const LaneColumns& a, const Pivots& pivots, int k) {
  double* const columns[1] = {a.column(k)};
  const Real old[1] = {load(columns[0] + k * k_real_lanes)};
  Real pivot[1];
  pivots.take(columns, old, pivot);
  const Real reciprocal = real(1) / pivot[0];
  store(reciprocal, columns[0] + k * k_real_lanes);
  for (int i = k + 1; i < a.n; ++i) {
    double* const element = columns[0] + i * k_real_lanes;
    store(choose(pivots.exchanged(i), old[0], load(element)) * reciprocal, element);
  }
}

/// Exchanges the rows of `width` columns from `first` on, and subtracts multiples of row k from the rows below. Returns
/// the search of the first column, which fills the time that the other columns take to be stored.
template <int width>
HWY_INLINE PivotSearch eliminate(const LaneColumns& a, const Pivots& pivots, int k, int first) {
  Real old[width], pivot[width];
  double* columns[width];
  for (int c = 0; c < width; ++c) {
    columns[c] = a.column(first + c);
    old[c] = load(columns[c] + k * k_real_lanes);
  }
  pivots.take(columns, old, pivot);
  for (int c = 0; c < width; ++c) store(pivot[c], columns[c] + k * k_real_lanes);
  const double* const factors = a.column(k);
  PivotSearch search(k + 1);
  for (int i = k + 1; i < a.n; ++i) {
    const Real factor = load(factors + i * k_real_lanes);
    const Truth exchanged = pivots.exchanged(i);
    for (int c = 0; c < width; ++c) {
      double* const element = columns[c] + i * k_real_lanes;
      const Real value = fused_from(choose(exchanged, old[c], load(element)), factor, pivot[c]);
      store(value, element);
      if (c == 0) search.see(value);
    }
  }
  return search;
}

/// Calls eliminate() for all columns after k, as many at a time as there are registers for. (Two steps at a time store
/// half as often, but took 10 % longer.) Returns the search of column k + 1.
HWY_INLINE PivotSearch eliminate_all(const LaneColumns& a, const Pivots& pivots, int k) {
  PivotSearch next(k + 1);
  int j = k + 1;
  const auto advance = [&](auto width) HWY_ATTR {
    const PivotSearch search = eliminate<width>(a, pivots, k, j);
    if (j == k + 1) next = search;
    j += width;
  };
  if constexpr (k_real_lanes == 8)
    while (j + 8 <= a.n + 1) advance(std::integral_constant<int, 8>());
  while (j + 4 <= a.n + 1) advance(std::integral_constant<int, 4>());
  if (j + 2 <= a.n + 1) advance(std::integral_constant<int, 2>());
  if (j < a.n + 1) advance(std::integral_constant<int, 1>());
  return next;
}

/// Solves by Gaussian elimination with partial pivoting. The pivot is the element with the largest magnitude; if
/// several have it, the first one. Rows are exchanged as LAPACK does. Each pivot changes an element by one fused
/// operation, pivot after pivot, and a factor is a product with the pivot's reciprocal. So the bytes do not depend on
/// how the elements are distributed. Destroys the columns; the last one then holds the solutions. Returns the lanes
/// whose pivots are all finite and above `smallest`; NaNs are never pivots.
HWY_INLINE Truth solve_lanes(const LaneColumns& a, double smallest) {
  const int n = a.n;
  Truth good = real(0) == real(0);
  Pivots pivots;
  PivotSearch search(0);
  for (int i = 0; i < n; ++i) search.see(load(a.at(i, 0)));
  for (int k = 0; k < n; ++k) {
    good = both(good,
                both(search.largest > real(smallest), search.largest < real(std::numeric_limits<double>::infinity())));
    pivots.set(k, n, search.row);
    make_factors(a, pivots, k);
    search = eliminate_all(a, pivots, k);
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
