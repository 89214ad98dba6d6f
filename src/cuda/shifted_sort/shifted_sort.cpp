// The list of a query stays in registers from its first candidate to its row of results.
#include "cuda/shifted_sort/shifted_sort.hpp"

#include <algorithm>
#include <optional>

#include "cuda/order/curve_order.hpp"
#include "cuda/order/point_order.hpp"
#include "cuda/runtime/list_size.hpp"
#include "cuda/shifted_sort/rank.hpp"
#include "cuda/shifted_sort/select.hpp"

namespace kann::cuda {
namespace {

/// The queries in an order in which neighbours are near each other, with their ranks in the orders of the data.
class RankedQueries {
 public:
  explicit RankedQueries(SearchContext& context) : context_(context), p_(context.problem) {}

  /// Finds the ranks in the order of a shift. The order of shift 0, which is ranked first, tells by how many bits the
  /// queries are sorted. Queued and timed.
  void rank(const ShiftInOrder& order) {
    Buffer<std::uint32_t>& ranks = ranks_[at(order.number)];
    if (!ranks.data()) ranks = Buffer<std::uint32_t>(context_.pool, p_.query_count);
    if (p_.self_query()) {
      rank_own(order.points, order.number > 0, order.shift, ranks.data(), context_.stream);
    } else {
      if (!placed_.data()) sort(order.are_sparse);
      if (!order.table) {
        if (!table_) table_.emplace(context_.pool, p_.data_count);
        table_->fill(order.points, context_.stream);
      }
      // Shift 0 reads the queries from their rows, and places them for the other shifts
      const PointSequence rows{{context_.d_queries(), nullptr, p_.grid}, rows_.data()};
      const PointSequence placed{{nullptr, placed_.data(), p_.grid}, nullptr};
      const bool is_first = order.number == 0;
      rank_queries(order.points, order.table ? *order.table : *table_, is_first ? rows : placed, p_.query_count,
                   order.shift, is_first ? placed_.data() : nullptr, ranks.data(), context_.stream);
    }
    context_.timer.lap(context_.steps.rank);
  }

  const PlacedPoint* d_placed() const { return placed_.data(); }  ///< null if the queries are the data
  /// The ranks in shift 0, or in one of the last k_shifts_at_once that were ranked.
  const std::uint32_t* d_ranks(int shift) const { return ranks_[at(shift)].data(); }

 private:
  static int at(int shift) { return shift < k_shifts_at_once ? shift : 1 + shift % k_shifts_at_once; }

  void sort(bool are_sparse) {
    rows_ = rows_by_leading_bits(context_, morton_curve(p_.dimensions),
                                 are_sparse ? PointOrder::k_sparse_bits : k_coarse_bits);
    placed_ = Buffer<PlacedPoint>(context_.pool, p_.query_count);
  }

  SearchContext& context_;
  const Problem& p_;
  Buffer<std::uint32_t> rows_;  // the rows of the queries in their order, if they are not the data …
  Buffer<PlacedPoint> placed_;  // … and the queries in it
  std::optional<PrefixTable> table_;
  Buffer<std::uint32_t> ranks_[1 + k_shifts_at_once];
};

/// The windows of shifts [begin, end).
Windows windows_of(const Problem& p, const ShiftOrders& orders, const RankedQueries& queries, int begin, int end) {
  Windows windows{};
  for (int j = begin; j < end; ++j) {
    windows.d_data[j - begin] = orders.d_placed(j);
    windows.d_ranks[j - begin] = queries.d_ranks(j);
  }
  windows.shifts = end - begin;
  windows.d_first = orders.d_placed(0);
  windows.d_first_ranks = queries.d_ranks(0);
  windows.data_count = p.data_count;
  windows.d_queries = p.self_query() ? orders.d_placed(0) : queries.d_placed();
  windows.query_count = p.query_count;
  windows.window = p.window;
  windows.drop_self = p.drop_self;
  windows.first_query = static_cast<std::uint32_t>(p.first_query);
  windows.list_size = p.list_size();
  return windows;
}

}  // namespace

void run_shifted_sort(SearchContext& context, DataOrders* kept) {
  const Problem& p = context.problem;
  const ShiftOrders* const kept_orders = kept ? kept->of(p.shifts) : nullptr;
  ShiftOrders own(p.shifts, false);
  const ShiftOrders& orders = kept_orders ? *kept_orders : own;
  RankedQueries queries(context);
  const auto rank = [&](const ShiftInOrder& order) { queries.rank(order); };
  const bool keeps_lists = p.shifts > k_shifts_at_once;
  const Buffer<NeighborKey> lists(context.pool, keeps_lists ? p.query_count * rounded_list_size(p.list_size()) : 0);
  for (int begin = 0; begin < p.shifts; begin += k_shifts_at_once) {
    const int end = std::min(p.shifts, begin + k_shifts_at_once);
    kept_orders ? kept_orders->for_each(rank) : own.order(context, begin, end, rank);
    select(windows_of(p, orders, queries, begin, end), {lists.data(), begin == 0, end == p.shifts}, context.rows(),
           context.stream);
    context.timer.lap(context.steps.select);
  }
}

}  // namespace kann::cuda
