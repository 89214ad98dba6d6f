#include "cuda/exact/neighbor_lists.hpp"

#include <algorithm>
#include <limits>

#include "cuda/exact/within.hpp"
#include "cuda/runtime/check.hpp"

namespace kann::cuda::exact {
namespace {

/// Bytes of device memory that more buffers may take.
double free_memory(const Pool& pool) {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  constexpr double share = 0.9;  // the driver divides its memory into blocks
  return share * static_cast<double>(free) + static_cast<double>(pool.unused_bytes());
}

/// The longest of all rows.
std::int64_t longest_row(const NeighborLists& lists) {
  std::int64_t longest = 0;
  for (std::int64_t row = 0; row < lists.queries(); ++row)
    longest = std::max(longest, lists.begins[row + 1] - lists.begins[row]);
  return longest;
}

/// The end of the rows from `first` on that have at most `most` neighbours together, but of one row at least.
std::int64_t end_of_rows(const NeighborLists& lists, std::int64_t first, std::int64_t most) {
  const auto end = std::upper_bound(lists.begins.begin() + first, lists.begins.end(), lists.begins[first] + most);
  return std::max(first + 1, end - lists.begins.begin() - 1);
}

/// Queues where each row begins. @param d_are_valid as ListsOnDevice::d_are_valid
template <class Real>
void queue_begins(SearchContext& context, const Search<Real>& search, const WithinRadius& within,
                  const bool* d_are_valid, std::int64_t* d_begins) {
  const Buffer<std::uint32_t> counts(context.pool, search.query_count);
  count_within(context.stream, search, within, counts.data());
  begins_of(context.pool, counts.data(), d_are_valid, search.query_count, d_begins);
}

}  // namespace

template <class Real>
NeighborLists neighbor_lists(SearchContext& context, const Search<Real>& search,
                             std::optional<std::int64_t> most_at_once) {
  const Problem& p = context.problem;
  const WithinRadius within(*p.list_radius);
  const Buffer<std::int64_t> begins(context.pool, p.query_count + 1);
  queue_begins(context, search, within, nullptr, begins.data());
  context.timer.lap(context.steps.select);
  NeighborLists lists;
  lists.begins.resize(static_cast<std::size_t>(p.query_count + 1));
  context.download_array(begins, lists.begins.data());
  if (lists.neighbors() > p.most_listed) return lists;

  lists.ids.resize(static_cast<std::size_t>(lists.neighbors()));
  lists.distances.resize(lists.ids.size());
  const bool needs_scratch = longest_row(lists) > k_sorted_in_registers;
  const double bytes = sizeof(NeighborKey) * (needs_scratch ? 2 : 1) + sizeof(std::int32_t) + sizeof(float);
  const std::int64_t most = most_at_once.value_or(static_cast<std::int64_t>(free_memory(context.pool) / bytes));
  for (std::int64_t first = 0, last = 0; first < p.query_count; first = last) {
    last = end_of_rows(lists, first, most);
    const std::int64_t begin = lists.begins[first], count = lists.begins[last] - begin;
    if (count == 0) continue;
    const Buffer<NeighborKey> keys(context.pool, count), scratch(context.pool, needs_scratch ? count : 0);
    const Buffer<std::int32_t> ids(context.pool, count);
    const Buffer<float> distances(context.pool, count);
    const ListRows rows{first, last, begins.data(), begin, keys.data(), count};
    context.timer.lap(context.steps.download);  // the host has waited for the counts, and for memory
    find_within(context.stream, search, within, rows);
    context.timer.lap(context.steps.select);
    sort_rows(context.stream, rows, scratch.data(), ids.data(), distances.data());
    context.timer.lap(context.steps.rows);
    context.download_array(ids, lists.ids.data() + begin);
    context.download_array(distances, lists.distances.data() + begin);
    context.timer.lap(context.steps.download);
  }
  return lists;
}

template <class Real>
void queue_lists(SearchContext& context, const Search<Real>& search, const ListsOnDevice& lists) {
  const WithinRadius within(*context.problem.list_radius);
  if (!lists.are_counted) queue_begins(context, search, within, lists.d_are_valid, lists.d_begins);
  if (lists.capacity == 0) return;
  // How long the longest row is, the host does not know
  const Buffer<NeighborKey> keys(context.pool, lists.capacity), scratch(context.pool, lists.capacity);
  const ListRows rows{0, search.query_count, lists.d_begins, 0, keys.data(), lists.capacity, lists.d_names};
  find_within(context.stream, search, within, rows);
  sort_rows(context.stream, rows, scratch.data(), lists.d_ids, lists.d_distances);
}

template void queue_lists(SearchContext&, const Search<float>&, const ListsOnDevice&);
template void queue_lists(SearchContext&, const Search<double>&, const ListsOnDevice&);
template NeighborLists neighbor_lists(SearchContext&, const Search<float>&, std::optional<std::int64_t>);
template NeighborLists neighbor_lists(SearchContext&, const Search<double>&, std::optional<std::int64_t>);

}  // namespace kann::cuda::exact
