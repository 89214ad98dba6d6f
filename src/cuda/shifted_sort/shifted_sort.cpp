// The fused pipeline of the shifted sort: data and queries are sorted separately, and one kernel searches several
// shifts, so that the list of a query stays in registers from its first candidate to its row of results.
#include "cuda/shifted_sort/shifted_sort.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "cuda/exact/index.hpp"
#include "cuda/exact/refine.hpp"
#include "cuda/order/choose.hpp"
#include "cuda/order/point_order.hpp"
#include "cuda/order/query_order.hpp"
#include "cuda/runtime/list_size.hpp"
#include "cuda/shifted_sort/doubtful.hpp"
#include "cuda/shifted_sort/rank.hpp"
#include "cuda/shifted_sort/select.hpp"

namespace kann::cuda {
namespace {

/// The number of orders and ranks in memory at a time. Those of shift 0 stay; those of a later group of shifts replace
/// those of the group before.
std::int64_t orders_in_memory(int shifts) {
  return std::max(std::min(shifts, k_shifts_at_once), 1 + std::min(shifts - k_shifts_at_once, k_shifts_at_once));
}

/// Scratch memory in the arrays of the results, which are not in use until rows are written.
Scratch scratch_in_results(SearchContext& context) {
  Scratch scratch(context.pool);
  scratch.borrow(context.ids);
  scratch.borrow(context.distances);
  return scratch;
}

class FusedSearch {
 public:
  FusedSearch(SearchContext& context, DataOrders* kept)
      : context_(context),
        p_(context.problem),
        kept_data_(kept),
        kept_orders_(kept ? kept->of(p_) : nullptr),
        compares_all_(p_.bits == morton_curve(p_.dimensions).bits),
        is_own_(p_.self_query() && compares_all_) {
    if (!kept_orders_)
      data_order_.emplace(context, p_.data_count, scratch_in_results(context), static_cast<int>(after_first().size()));
    orders_.resize(static_cast<std::size_t>(orders_in_memory(p_.shifts)));
    ranks_.resize(orders_.size());
    if (p_.shifts > k_shifts_at_once) {
      kept_ = Buffer<NeighborKey>(context.pool, p_.query_count * rounded_list_size(p_.shifted_list_size()));
      evidence_ = Buffer<Evidence>(context.pool, p_.query_count);
    }
  }

  void search() {
    for (int j = 0; j < p_.shifts; j += k_shifts_at_once) search_group(j, std::min(p_.shifts, j + k_shifts_at_once));
    p_.is_rounded() ? search_exactly<double>() : search_exactly<float>();
  }

 private:
  /// The points that the order of shift j is made from. For later shifts, this is the order of shift 0, in which points
  /// that are near in any order are near: reading 2²³ points takes 0.09 ms from it, and 0.22 from the input's order.
  /// Points of one cell are in the order of their index there. If fewer than all bits are compared, points of equal
  /// keys are in that order only in the input.
  PointSource source(int j) const { return {context_.d_data(), j > 0 && compares_all_ ? d_first() : nullptr, p_.grid}; }
  const PlacedPoint* d_first() const { return d_order(0); }
  const PlacedPoint* d_order(int j) const {
    return kept_orders_ ? kept_orders_->orders[static_cast<std::size_t>(j)].placed.data() : orders_[at(j)].data();
  }
  const PlacedPoint* d_queries() const { return is_own_ ? d_first() : queries_.data(); }

  /// The other shifts of the first group, if they are ordered from the order of shift 0.
  std::vector<Shift> after_first() const {
    std::vector<Shift> shifts;
    for (int j = 1; compares_all_ && j < std::min(p_.shifts, 1 + k_max_later_shifts); ++j)
      shifts.push_back(shift_of(p_, j));
    return shifts;
  }

  /// Searches shifts [begin, end), at most k_shifts_at_once.
  void search_group(int begin, int end) {
    order_group(begin, end);
    Windows windows{};
    for (int i = 0; i < end - begin; ++i) {
      windows.d_data[i] = d_order(begin + i);
      windows.d_ranks[i] = ranks_[at(begin + i)].data();
    }
    if (compares_all_) {
      windows.d_first = d_first();
      windows.d_first_ranks = ranks_[0].data();
    }
    windows.shifts = end - begin;
    windows.data_count = p_.data_count;
    windows.d_queries = d_queries();
    windows.query_count = p_.query_count;
    windows.window = p_.window;
    windows.drop_self = p_.drop_self;
    windows.first_query = static_cast<std::uint32_t>(p_.first_query);
    windows.list_size = p_.shifted_list_size();
    windows.doubt = p_.doubt;
    windows.d_given_queries = p_.queries_beside_float32s() ? context_.d_given_queries() : nullptr;
    windows.unit = p_.unit;
    windows.grid = p_.grid;
    windows.dimensions = p_.dimensions;
    if (p_.searches_doubtful && end == p_.shifts) doubtful_ = Buffer<bool>(context_.pool, p_.query_count);
    select(windows, {kept_.data(), evidence_.data(), begin == 0, end == p_.shifts, doubtful_.data()}, context_.rows(),
           context_.stream);
    context_.timer.lap(context_.steps.select);
  }

  /// The number that the order of shift j has among the orders in memory.
  static std::size_t at(int j) { return static_cast<std::size_t>(j < k_shifts_at_once ? j : 1 + j % k_shifts_at_once); }

  /// Makes the orders and ranks of a group of shifts; those of the first group sort the queries as well.
  void order_group(int begin, int end) {
    if (kept_orders_) return rank_in_kept_orders();
    while (!try_order_group(begin, end)) continue;
  }

  void rank_in_kept_orders() {
    if (!is_own_) sort_queries(nullptr);
    for (int j = 0; j < p_.shifts; ++j) {
      const ShiftOrders::Order& order = kept_orders_->orders[static_cast<std::size_t>(j)];
      rank(order.keys.points, &order.table, j);
    }
  }

  /// Returns false if the bits that points were sorted by did not suffice; data_order_ uses more from then on.
  bool try_order_group(int begin, int end) {
    for (int j = begin; j < end; ++j) {
      if (!orders_[at(j)].data()) orders_[at(j)] = Buffer<PlacedPoint>(context_.pool, p_.data_count);
      const bool reports = j == end - 1 || data_order_->may_coarsen();
      const PendingOrder order = data_order_->order(shift_of(p_, j), source(j), orders_[at(j)].data(), reports,
                                                    j == 0 ? after_first() : std::vector<Shift>());
      // The host reads the report after it has queued more work, so that the device need not wait for it
      if (!is_own_) {
        if (!query_rows_.data()) sort_queries(&order);
        if (!prefix_table_) prefix_table_.emplace(context_.pool, p_.data_count);
        prefix_table_->fill(order.points, context_.stream);
      }
      rank(order.points, prefix_table_ ? &*prefix_table_ : nullptr, j);
      if (!data_order_->is_complete(order)) return false;
    }
    return true;
  }

  /// Sorts the queries; the report on the data's order, if there is one, decides by how many bits.
  void sort_queries(const PendingOrder* reported) {
    {
      // Queues the keys, which the device computes while the host waits for the report
      QuerySorter sorter(context_, morton_curve(p_.dimensions));
      const bool is_sparse = reported && data_order_->is_sparse(*reported);
      sorter.sort(is_sparse ? PointOrder::k_sparse_bits : QuerySorter::k_key_bits);
      query_rows_ = sorter.release_rows();
    }
    queries_ = Buffer<PlacedPoint>(context_.pool, p_.query_count);
  }

  /// @param table the table of the order's keys; not used if the queries are the data
  void rank(const SortedPoints& order, const PrefixTable* table, int j) {
    auto& ranks = ranks_[at(j)];
    if (!ranks.data()) ranks = Buffer<std::uint32_t>(context_.pool, p_.query_count);
    const Shift shift = shift_of(p_, j);
    if (is_own_) {
      rank_own(order, j > 0, shift, ranks.data(), context_.stream);
    } else {
      // Shift 0 reads the queries from their rows, and places them for the other shifts
      const PointSequence rows{{context_.d_queries(), nullptr, p_.grid}, query_rows_.data()};
      const PointSequence placed{{nullptr, queries_.data(), p_.grid}, nullptr};
      rank_queries(order, *table, j == 0 ? rows : placed, p_.query_count, shift, j == 0 ? queries_.data() : nullptr,
                   ranks.data(), context_.stream);
    }
    context_.timer.lap(context_.steps.rank);
  }

  /// Searches for doubtful queries and the sample exactly. Few queries are searched for in the order of shift 0, if
  /// that is of use.
  template <class Real>
  void search_exactly() {
    if (p_.data_count == 0) return;
    for (std::size_t j = 1; j < orders_.size(); ++j) {
      orders_[j] = {};
      ranks_[j] = {};
    }
    std::optional<exact::Index<Real>> own;
    if (!p_.searches_doubtful) {
      if (!compares_all_) return exact::refine_none(context_, kept_indexes());
      return exact::refine_few(context_, index_over_first(own), {}, 0, nullptr);
    }
    const Doubtful doubtful = find_doubtful(context_.pool, doubtful_.data(), p_.query_count, d_first(), p_.data_count,
                                            p_.grid, p_.dimensions);
    context_.doubtful = doubtful.count;
    context_.timer.lap(context_.steps.select);
    // Points that share a cell are in the order of their index in shift 0: boxes around them would all overlap, and
    // their windows would give no bound
    constexpr std::int64_t few = 4, few_crowded = 1 << 14;
    if (doubtful.count < p_.query_count / few && doubtful.crowded <= few_crowded) {
      const PointSequence queries{{nullptr, d_queries(), p_.grid}, doubtful.slots.data()};
      exact::refine_few(context_, index_over_first(own), queries, doubtful.count, ranks_[0].data());
    } else {
      const Buffer<bool> by_row = flags_by_row(context_.pool, doubtful_.data(), d_queries(), p_.query_count);
      orders_.clear();
      ranks_.clear();
      queries_ = {};
      exact::refine_many<Real>(context_, by_row.data(), doubtful.count, kept_indexes());
    }
  }

  exact::DataIndexes* kept_indexes() const { return kept_data_ ? &kept_data_->indexes() : nullptr; }

  template <class Real>
  const exact::Index<Real>& index_over_first(std::optional<exact::Index<Real>>& own) {
    return kept_orders_ ? kept_data_->over_first<Real>(*kept_orders_) : own.emplace(context_, d_first());
  }

  SearchContext& context_;
  const Problem& p_;
  DataOrders* const kept_data_;
  ShiftOrders* const kept_orders_;
  const bool compares_all_;                  // whether all bits of a code are compared
  const bool is_own_;                        // whether the queries are the data, in the order of shift 0
  Buffer<std::uint32_t> query_rows_;         // if not is_own_: the rows of the queries in their own order …
  Buffer<PlacedPoint> queries_;              // … and the queries in it, placed with the ranks of shift 0
  std::optional<PointOrder> data_order_;     // if no orders are kept, like prefix_table_ and orders_
  std::optional<PrefixTable> prefix_table_;  // if not is_own_
  std::vector<Buffer<PlacedPoint>> orders_;
  std::vector<Buffer<std::uint32_t>> ranks_;
  Buffer<NeighborKey> kept_;
  Buffer<Evidence> evidence_;
  Buffer<bool> doubtful_;  // whether the row of each query, in their order, is doubtful
};

}  // namespace

void run_shifted_sort(SearchContext& context, DataOrders* kept) { FusedSearch(context, kept).search(); }

}  // namespace kann::cuda
