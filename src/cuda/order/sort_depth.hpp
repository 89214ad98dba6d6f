// Decides by how many bits points are sorted, and what the report on one order means for the next. Pure host code.
#pragma once

#include <cstdint>

#include "cuda/order/order_report.hpp"

namespace kann::cuda {

/// Leading bits that separate most points: a sort of five passes.
inline constexpr int k_leading_bits = 40;
/// Leading bits that are enough if few points share them; they save one pass.
inline constexpr int k_coarse_bits = 32;

/// What points are sorted by before they are placed. Each depth separates points that the one before leaves together.
enum class SortDepth {
  coarse_bits,   ///< k_coarse_bits of the packed keys
  leading_bits,  ///< k_leading_bits of the packed keys
  all_bits,      ///< all bits that the shift compares, as pairs of key and index
  in_tree,       ///< on the Hilbert curve, instead: the place in a k-d tree, which is as fine as the points
};

/// Among up to this many points, most differ in their coarse bits.
inline constexpr std::int64_t k_few_points = 1 << 20;

/// How the next order is sorted.
struct SortPlan {
  SortDepth depth = SortDepth::leading_bits;
  bool tries_coarse_bits = false;  ///< whether coarse bits are taken if the first order's report allows it

  bool is_packed() const { return depth == SortDepth::coarse_bits || depth == SortDepth::leading_bits; }

  /// Whether the report on the next order may allow a smaller depth.
  bool may_coarsen() const { return tries_coarse_bits && depth == SortDepth::leading_bits; }

  bool operator==(const SortPlan&) const = default;
};

/// The plan for the first order of `count` points; `has_later`: other orders of the same points follow.
SortPlan first_plan(std::int64_t count, bool has_later);

/// What a report means.
struct SortVerdict {
  bool complete;  ///< whether the orders so far are right; if not, they must be made again by `next`
  SortPlan next;
};
SortVerdict judge_order(const SortPlan& plan, const OrderReport& report, std::int64_t count);

/// What the report on an order along the Hilbert curve means.
struct CurveVerdict {
  bool is_fine;          ///< whether few points are among many of their key
  SortDepth deeper;      ///< what comes next if not
  SortDepth of_queries;  ///< by how much queries are to be sorted that are searched in this order
};
CurveVerdict judge_curve(SortDepth depth, const OrderReport& report, std::int64_t count);

/// Whether fewer than one point in 32 shares its coarse bits with the point before. If the points fill space, a cell of
/// 24 bits then has about two points.
bool is_sparse(const OrderReport& report, std::int64_t count);

}  // namespace kann::cuda
