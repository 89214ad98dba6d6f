#include "cuda/order/sort_depth.hpp"

namespace kann::cuda {
namespace {

// With more points, their indices would leave a key k_coarse_bits or fewer, including the unused ones.
constexpr std::int64_t k_max_points = std::int64_t{1} << (64 - k_coarse_bits - 1);

/// Whether fewer than one point in `many` shares its coarse bits with the point before, and no run of them is long.
bool has_few_runs(const OrderReport& report, std::int64_t count, std::int64_t many) {
  return !report.has_long_coarse_runs && report.sampled_coarse_runs * many < count / k_sample_blocks;
}

SortDepth deeper(SortDepth depth) {
  switch (depth) {
    case SortDepth::coarse_bits:
      return SortDepth::leading_bits;
    case SortDepth::leading_bits:
      return SortDepth::all_bits;
    default:
      return SortDepth::in_tree;
  }
}

}  // namespace

SortPlan first_plan(std::int64_t count, bool has_later) {
  return {count <= k_few_points ? SortDepth::coarse_bits : SortDepth::leading_bits,
          has_later && count > k_few_points && count <= k_max_points};
}

SortVerdict judge_order(const SortPlan& plan, const OrderReport& report, std::int64_t count) {
  if (report.incomplete) return {false, {deeper(plan.depth), false}};
  // If one point in eight is in a run, putting runs in order takes as long as the pass that is saved.
  const bool coarsens = plan.may_coarsen() && has_few_runs(report, count, 8);
  return {true, {coarsens ? SortDepth::coarse_bits : plan.depth, false}};
}

CurveVerdict judge_curve(SortDepth depth, const OrderReport& report, std::int64_t count) {
  // A query that reaches a run is compared with all of its points. A run of a thousand costs too much even if few
  // points are in such runs
  constexpr std::int64_t few = 64;  // one point in so many
  const std::int64_t sampled = count / sampled_blocks_step(count);
  const bool is_crowded = std::int64_t{report.crowded} * few > sampled, is_fine = !is_crowded && !report.incomplete;
  const bool is_coarse = std::int64_t{report.coarse_neighbors} * few <= sampled;
  const bool is_packed = depth < SortDepth::all_bits;
  const SortDepth next = report.incomplete && is_packed ? SortDepth::all_bits : deeper(depth);
  return {is_fine || depth == SortDepth::in_tree, next,
          !is_packed  ? depth
          : is_coarse ? SortDepth::coarse_bits
                      : SortDepth::leading_bits};
}

bool is_sparse(const OrderReport& report, std::int64_t count) { return has_few_runs(report, count, 32); }

}  // namespace kann::cuda
