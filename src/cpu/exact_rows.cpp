#include "cpu/exact_rows.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/resize_fresh.hpp"
#include "base/threads/parallel.hpp"
#include "cpu/exact_index.hpp"
#include "cpu/hilbert_index.hpp"
#include "cpu/order/crowded_cells.hpp"
#include "geometry/grid.hpp"

namespace kann::cpu {
namespace {

/// Bits of a mark.
constexpr std::uint8_t k_is_doubtful = 1, k_is_sampled = 2;

/// Keeps the rows of the sample that the shifted sort has found while the exact search overwrites them.
class ApproximateSample {
 public:
  ApproximateSample(const Problem& p, const HostRows& rows) : p_(p), rows_(rows) {
    ids_.reserve(p.sample.size() * static_cast<std::size_t>(rows.k));
    distances_.reserve(ids_.capacity());
    for (const std::int64_t row : p.sample) {
      ids_.insert(ids_.end(), rows.ids + row * rows.k, rows.ids + (row + 1) * rows.k);
      distances_.insert(distances_.end(), rows.distances + row * rows.k, rows.distances + (row + 1) * rows.k);
    }
  }

  /// Returns the exact ids, and puts back the rows of queries that are not doubtful.
  std::vector<std::int32_t> exchange(const Array<std::uint8_t>& marks) const {
    std::vector<std::int32_t> exact;
    exact.reserve(p_.sample.size() * static_cast<std::size_t>(p_.list_size()));
    for (std::size_t s = 0; s < p_.sample.size(); ++s) {
      const std::int64_t row = p_.sample[s], first = row * rows_.k, saved = static_cast<std::int64_t>(s) * rows_.k;
      exact.insert(exact.end(), rows_.ids + first, rows_.ids + first + p_.list_size());
      if (marks[row] & k_is_doubtful) continue;
      std::copy_n(ids_.begin() + saved, rows_.k, rows_.ids + first);
      std::copy_n(distances_.begin() + saved, rows_.k, rows_.distances + first);
    }
    return exact;
  }

 private:
  const Problem& p_;
  const HostRows& rows_;
  std::vector<std::int32_t> ids_;
  std::vector<float> distances_;
};

/// Whether the order of shift 0 serves `queries` exact searches. The points of a cell are in the order of their index,
/// so that their boxes overlap, and a search near them visits all of them. If that is at most 16 visits per data point
/// in all, it takes less time than to order the data along the Hilbert curve.
template <int D>
bool suits_exact_search(const Problem& p, const OrderedCloud<D>& data, std::int64_t queries) {
  if (p.bits < k_code_bits<D>) return false;
  std::int64_t largest = 0;
  for (const CrowdedCell& cell : find_crowded_cells(data, p.threads))
    largest = std::max(largest, cell.end - cell.begin);
  return largest <= 16 * p.data_count / std::max<std::int64_t>(1, queries);
}

/// Whether so many queries are doubtful that it takes less time to make the order of the exact method and to find
/// bounds in it: most of the rows found so far are then bad, and give loose bounds. (20,000 queries beside a line of
/// 400,000 points, on two threads: 17.7 s with these rows as bounds, 0.06 s without.)
bool are_many(const Problem& p, std::int64_t doubtful) {
  return 4 * doubtful >= p.query_count && 64 * doubtful >= p.data_count;
}

/// The places of marked queries, ascending.
Array<std::uint32_t> places_of(const Array<std::uint8_t>& marks, const std::uint32_t* rows, int threads) {
  std::vector<std::vector<std::uint32_t>> found(static_cast<std::size_t>(threads));
  base::parallel_blocks(static_cast<std::int64_t>(marks.size()), threads,
                        [&](int block, std::int64_t begin, std::int64_t end) {
                          for (std::int64_t i = begin; i < end; ++i)
                            if (marks[rows[i]]) found[block].push_back(static_cast<std::uint32_t>(i));
                        });
  Array<std::uint32_t> places;
  for (const auto& some : found) places.insert(places.end(), some.begin(), some.end());
  return places;
}

/// The points at some places of an order.
template <int D>
Placed<D> points_at(const Placed<D>& points, const Array<std::uint32_t>& places, int threads) {
  Placed<D> some;
  some.resize(static_cast<std::int64_t>(places.size()));
  base::parallel_for(some.count, threads, [&](std::int64_t i) {
    for (int a = 0; a < D; ++a) some.axes[a][i] = points.axes[a][places[i]];
    some.ids[i] = points.ids[places[i]];
  });
  return some;
}

/// For each row, an upper bound on the squared distance to its last neighbour in the frame. It comes from the written
/// distance, which is the rounded root in the unit of the input, where it may have underflowed.
Array<float> bounds_of(const Problem& p, const HostRows& rows, const std::uint32_t* ids, std::int64_t count) {
  Array<float> bounds(static_cast<std::size_t>(count));
  base::parallel_for(count, p.threads, [&](std::int64_t i) {
    const float written = std::max(rows.distances[ids[i] * rows.k + p.list_size() - 1], 0x1p-126f);
    const double distance = written / p.unit;
    bounds[i] = static_cast<float>(
        std::min(distance * distance * (1 + 0x1p-20) + 0x1p-126, double{std::numeric_limits<float>::max()}));
  });
  return bounds;
}

/// Searches for the marked queries of `cloud`. `ranks` are the ranks of all its queries in the order of the index;
/// `rows_bound`: the rows found so far give the bounds.
template <int D>
void search_marked(const Problem& p, const ExactIndex<D>& index, const OrderedCloud<D>& cloud,
                   const Array<std::uint32_t>& ranks, const Array<std::uint8_t>& marks, bool rows_bound,
                   const HostRows& rows) {
  Array<std::uint32_t> places = places_of(marks, cloud.points.ids.data(), p.threads);
  const Placed<D> queries = points_at(cloud.points, places, p.threads);
  if (!p.self_query())
    for (std::uint32_t& place : places) place = ranks[place];
  Array<float> bounds;
  if (rows_bound) bounds = bounds_of(p, rows, queries.ids.data(), queries.count);
  index.search(p, queries.view(), places.data(), rows, rows_bound ? bounds.data() : nullptr);
}

}  // namespace

template <int D>
void search_exactly(Workspace<D>& work, DataOrders<D>& data, std::shared_ptr<const ShiftOrders<D>> orders,
                    Array<std::uint32_t> ranks, Array<std::uint8_t>& marks, const HostRows& rows) {
  const Problem& p = work.p;
  if (p.list_size() == 0) return;
  work.answer.doubtful = std::count(marks.begin(), marks.end(), k_is_doubtful);
  std::int64_t marked = work.answer.doubtful;
  for (const std::uint32_t row : p.sample) {
    marked += marks[row] == 0;
    marks[row] |= k_is_sampled;
  }
  if (marked == 0) return;
  const ApproximateSample sample(p, rows);

  const bool are_bad = are_many(p, work.answer.doubtful);
  if (are_bad || !suits_exact_search(p, orders->first(), marked)) {
    orders.reset();  // their memory is needed
    const auto hilbert = data.hilbert_index(work);
    ranks = hilbert->order_queries(work);
    search_marked(p, hilbert->index(), p.self_query() ? hilbert->data() : work.queries, ranks, marks, !are_bad, rows);
  } else {
    const auto first = data.first_order_index(work, std::move(orders));
    search_marked(p, first->index, p.self_query() ? first->orders->first() : work.queries, ranks, marks, true, rows);
  }
  work.answer.sample_ids = sample.exchange(marks);
}

template <int D>
double exact_rows_bytes(const Problem& p) {
  const double queries = static_cast<double>(p.query_count), sampled = static_cast<double>(p.sample.size());
  // A place in the array of a thread, which has grown to at most twice its size, and in the array of all; a bound
  constexpr double bytes_per_place = 3 * 4 + 4;
  return HilbertIndex<D>::bytes(p) + (bytes_per_place + Placed<D>::bytes_per_point) * queries +
         12 * sampled * static_cast<double>(p.k);
}

#define KANN_INSTANTIATE(D)                                                                             \
  template void search_exactly<D>(Workspace<D>&, DataOrders<D>&, std::shared_ptr<const ShiftOrders<D>>, \
                                  Array<std::uint32_t>, Array<std::uint8_t>&, const HostRows&);         \
  template double exact_rows_bytes<D>(const Problem&);
KANN_INSTANTIATE(2)
KANN_INSTANTIATE(3)
#undef KANN_INSTANTIATE

}  // namespace kann::cpu
