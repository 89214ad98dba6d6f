#include "search/list_search.hpp"

#include <algorithm>
#include <utility>

#include "base/host_memory.hpp"
#include "search/search_radius.hpp"

namespace kann::detail {
namespace {

/// Keeps the neighbours for which keep(row, id) is true.
template <class Keep>
void keep_if(NeighborLists& lists, Keep keep) {
  std::int64_t kept = 0, at = 0;
  for (std::int64_t row = 0; row < lists.queries(); ++row) {
    for (const std::int64_t end = lists.begins[row + 1]; at < end; ++at) {
      if (!keep(row, lists.ids[at])) continue;
      lists.ids[kept] = lists.ids[at];
      lists.distances[kept++] = lists.distances[at];
    }
    lists.begins[row + 1] = kept;
  }
  lists.ids.resize(static_cast<std::size_t>(kept));
  lists.distances.resize(lists.ids.size());
}

/// Whether a half of the pairs has a neighbour of a row: the larger number of two; of a point's own images, which come
/// in equal pairs, one of each two.
class InHalf {
 public:
  explicit InHalf(bool has_images) : has_images_(has_images) {}

  bool operator()(std::int64_t row, std::int32_t id) {
    if (id != row || !has_images_) return id > row;
    if (row != last_row_) own_ = 0;
    last_row_ = row;
    return own_++ % 2 == 0;
  }

 private:
  const bool has_images_;
  std::int64_t last_row_ = -1, own_ = 0;
};

/// A point is no pair with itself: without it, half of the neighbours are the number of pairs.
SearchOptions options_for(SearchOptions options, ListedPairs pairs) {
  if (pairs == ListedPairs::half) options.include_self = false;
  return options;
}

}  // namespace

ListSearch::ListSearch(const Index& index, const PointsView& data, const std::optional<PointsView>& queries,
                       const SearchOptions& options, ListedPairs pairs, std::int64_t most)
    : index_(&index),
      data_points_(data.size()),
      queries_(queries.value_or(data)),
      is_self_(!queries),
      options_(options_for(options, pairs)),
      pairs_(pairs),
      most_(most),
      result_(search_radius(index, queries, options_, most)) {
  is_whole_ = result_.lists.neighbors() <= most;
  options_.on_progress = nullptr;
  options_.device.kind = result_.report.device.kind;  // all passes run where the first has run
  if (pairs == ListedPairs::half) keep_half();
}

ListSearch::ListSearch(RadiusResult found, std::int64_t data_points, ListedPairs pairs)
    : index_(nullptr), data_points_(data_points), pairs_(pairs), result_(std::move(found)) {
  is_whole_ = std::ssize(result_.lists.ids) == neighbors();
  if (pairs == ListedPairs::half) keep_half();
}

void ListSearch::keep_half() {
  if (is_whole_) {
    keep_if(result_.lists, InHalf(true));
  } else {
    keep_half_of_counts();
  }
  result_.report.within_radius = neighbors();
}

/// Where lists are only counted, half of the pairs are known in all, but not row by row.
void ListSearch::keep_half_of_counts() {
  found_begins_ = std::exchange(result_.lists.begins, {});
  // From one place, two points are as far from each other as from the other; images of periodic boxes are rounded
  if (most_ < 0 && options_.periodic.empty()) {  // nobody asks for rows
    result_.lists.begins = {0, found_begins_.back() / 2};
    return;
  }
  Array<std::int64_t>& begins = result_.lists.begins;
  begins.push_back(0);
  for_each_part([&](const Rows& block) {
    for (std::size_t i = 0; i + 1 < block.begins.size(); ++i)
      begins.push_back(begins.back() + block.begins[i + 1] - block.begins[i]);
  });
}

RowBlocks ListSearch::blocks() const {
  RowBlocks blocks = one_block(result_.lists, data_points_);
  blocks.for_each = [this](const RowBlocks::Sink& sink) { for_each(sink); };
  return blocks;
}

void ListSearch::for_each(const RowBlocks::Sink& sink) const {
  if (is_whole_) return one_block(result_.lists, data_points_).for_each(sink);
  for_each_part(sink);
}

/// Searches some queries after others. Queries that are data find themselves, too, and are left out of their rows.
void ListSearch::for_each_part(const RowBlocks::Sink& sink) const {
  const Array<std::int64_t>& begins = found_begins_.empty() ? result_.lists.begins : found_begins_;
  const bool drops_self =
      is_self_ && !options_.include_self && options_.periodic.empty();  // in a box, each has its own
  const std::int64_t m = std::ssize(begins) - 1;
  constexpr std::int64_t fewest = 1 << 16;  // fewer at a time would take more time for the start of each search
  const std::int64_t most = std::max(most_, fewest);
  std::int64_t before = 0;
  for (std::int64_t first = 0, last = 0; first < m; first = last) {
    const auto count_to = [&](std::int64_t row) {
      return begins[row] - begins[first] + (drops_self ? row - first : 0);
    };
    last = first + 1;
    for (std::int64_t step = m; step > 0; step /= 2)
      while (last + step <= m && count_to(last + step) <= most) last += step;
    base::return_freed_memory();  // parts of other sizes took a quarter more beside those before them
    const auto own = is_self_ ? std::optional(first) : std::nullopt;
    NeighborLists lists =
        search_radius(*index_, queries_.part(first, last), options_, std::max(most, count_to(last)), own).lists;
    if (pairs_ == ListedPairs::half)
      keep_if(lists, [&, is_in = InHalf(options_.images == Images::all)](std::int64_t row, std::int32_t id) mutable {
        return is_in(first + row, id);
      });
    else if (drops_self)
      keep_if(lists, [&](std::int64_t row, std::int32_t id) { return id != first + row; });
    for (std::int64_t& begin : lists.begins) begin += before;
    before = lists.begins.back();
    Rows part = lists;
    part.first = first;
    sink(part);
  }
}

}  // namespace kann::detail
