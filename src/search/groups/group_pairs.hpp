// Which points of two clouds are searched for which queries, by their groups.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kann/error.hpp"
#include "kann/groups.hpp"

#include "base/threads/parallel.hpp"
#include "search/groups/slice.hpp"

namespace kann::detail {

/// A slice, and the queries that are searched in it.
struct SlicePair {
  const Slice& data;
  const Slice& queries;
  bool are_own = false;         ///< see SliceSearch
  std::int64_t own_points = 0;  ///< at most so many points of `data` are of a query's own group, and none for it
};
using Visit = std::function<void(const SlicePair&)>;

/// Whether so few points and queries are searched on any thread.
using IsSmall = std::function<bool(std::int64_t points, std::int64_t queries)>;

/// One search: the slices of both clouds, and who visits them.
class GroupPairs {
 public:
  GroupPairs(const PointsView& data, const std::optional<PointsView>& queries, const Groups& groups, int threads)
      : data_(data),
        queries_(queries.value_or(data)),
        is_self_(!queries),
        threads_(threads),
        data_labels_(groups.data),
        query_labels_(is_self_ ? groups.data : groups.queries),
        sets_(groups.sets) {
    check_labels(data_labels_, data_, "data");
    check_labels(query_labels_, queries_, "queries");
    if (!sets_.empty() && groups.rule == GroupRule::same) throw Error(ErrorKind::usage, "sets of groups need the rule that neighbours are of other groups");
    if (!std::ranges::is_sorted(sets_)) throw Error(ErrorKind::bad_input, "sets of groups are not ascending");
    order_ = labels_of(data_labels_, query_labels_);
    if (!sets_.empty() && !order_.empty() && order_.back() >= std::ssize(sets_))
      throw Error(ErrorKind::bad_input, fmt::format("group {} is in no set", order_.back()));
    data_rows_ = rows_by_group(data_, data_labels_, order_);
    query_rows_ = is_self_ ? data_rows_ : rows_by_group(queries_, query_labels_, order_);
  }

  /// Calls visit() for the points and the queries of each group. Those that `is_small` are visited by several threads
  /// at a time.
  void for_each_group(const IsSmall& is_small, const Visit& visit) const {
    const auto search_group = [&](std::size_t group, bool is_large) {
      const auto points = std::ssize(data_rows_[group]), asked = std::ssize(query_rows_[group]);
      if (points == 0 || asked == 0 || is_small(points, asked) == is_large) return;
      const Slice data = slice_of(data_, data_rows_[group]);
      const Slice others = is_self_ ? Slice() : slice_of(queries_, query_rows_[group]);
      visit({data, is_self_ ? data : others, is_self_});
    };
    constexpr std::int64_t grain = 8;
    base::parallel_chunks(std::ssize(data_rows_), grain, threads_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t group = begin; group < end; ++group) search_group(static_cast<std::size_t>(group), false);
    });
    for (std::size_t group = 0; group < data_rows_.size(); ++group) search_group(group, true);
  }

  /// Calls visit() for slices that hold each pair of different groups, of one set if there are any, once, of the
  /// queries that have not been answered.
  void for_each_half(const Visit& visit) {
    for (std::size_t begin = 0, end = 0; begin < data_rows_.size(); begin = end) {
      while (end < data_rows_.size() && is_in_set_of(end, begin)) ++end;
      halve(begin, end, true, visit);
    }
  }

  /// Calls visit() for all data and the queries whose group has few points there, which are answered by that: their
  /// groups become one, of which only the data are left.
  void answer_small_groups(const Visit& visit) {
    constexpr std::ptrdiff_t few = 32;
    std::vector<std::int32_t> asked, small;
    std::vector<std::vector<std::int32_t>> large, large_queries;
    const Slice data = slice_of(data_, joined(data_rows_));
    for (std::size_t group = 0; group < data_rows_.size(); ++group) {
      const bool is_large = std::ssize(data_rows_[group]) > few;
      if (is_large) large.push_back(std::move(data_rows_[group]));
      if (is_large) large_queries.push_back(std::move(query_rows_[group]));
      if (is_large) continue;
      small.insert(small.end(), data_rows_[group].begin(), data_rows_[group].end());
      asked.insert(asked.end(), query_rows_[group].begin(), query_rows_[group].end());
    }
    std::ranges::sort(small);
    std::ranges::sort(asked);
    for_each_part(data, asked, few, k_at_once, visit);
    data_rows_ = std::move(large);
    query_rows_ = std::move(large_queries);
    if (data_rows_.empty() || small.empty()) return;
    data_rows_.push_back(std::move(small));
    query_rows_.emplace_back();
  }

  /// Calls visit() for all data and all queries, and again for those that it has not answered, which have more points
  /// of their own group nearby, as long as a sample of them says that most are answered: those of groups with a place
  /// of their own are not.
  /// @param visit appends the queries that it has not answered
  void answer_near_others(std::int64_t k,
                          const std::function<void(const SlicePair&, std::vector<std::int32_t>&)>& visit) {
    constexpr std::int64_t most_at_first = 8, wider = 8, most_held = std::int64_t{1} << 26;
    constexpr std::size_t sampled = 16, few_left = 4;
    std::int64_t largest = 1;
    for (const std::vector<std::int32_t>& rows : data_rows_) largest = std::max(largest, std::ssize(rows));
    const Slice data = slice_of(data_, joined(data_rows_));
    std::vector<std::int32_t> asked = joined(query_rows_);
    bool pays = data.size() > 0;
    for (std::int64_t own = std::min(most_at_first, largest); pays && !asked.empty(); own *= wider) {
      std::vector<std::int32_t> sample, others, left;
      for (std::size_t i = 0; i < asked.size(); ++i) (i % sampled == 0 ? sample : others).push_back(asked[i]);
      const std::size_t at_once = std::max<std::int64_t>(1, std::min(k_at_once, most_held / (k + own)));
      const auto ask = [&](const std::vector<std::int32_t>& some) {
        for_each_part(data, some, own, at_once, [&](const SlicePair& pair) { visit(pair, left); });
      };
      ask(sample);
      pays = few_left * left.size() <= sample.size();
      pays ? ask(others) : void(left.insert(left.end(), others.begin(), others.end()));
      std::ranges::sort(left);
      asked = std::move(left);
    }
    for (std::vector<std::int32_t>& rows : query_rows_)
      std::erase_if(rows, [&](std::int32_t row) { return !std::ranges::binary_search(asked, row); });
  }

  /// Whether the query and the data point, by their rows, are of the same group.
  bool are_of_one_group(std::int32_t query, std::int32_t point) const {
    return query_labels_[static_cast<std::size_t>(query)] == data_labels_[static_cast<std::size_t>(point)];
  }

 private:
  static void check_labels(std::span<const std::int64_t> labels, const PointsView& points, const char* name) {
    if (std::ssize(labels) != points.size())
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}: {} groups are given for {} points", name, labels.size(), points.size()));
  }

  static constexpr std::int64_t k_at_once = 1 << 20;

  /// All rows, ascending.
  static std::vector<std::int32_t> joined(const std::vector<std::vector<std::int32_t>>& groups) {
    std::vector<std::int32_t> all;
    for (const std::vector<std::int32_t>& rows : groups) all.insert(all.end(), rows.begin(), rows.end());
    std::ranges::sort(all);
    return all;
  }

  /// Calls visit() for some of the queries after others.
  void for_each_part(const Slice& data, std::span<const std::int32_t> asked, std::int64_t own_points,
                     std::size_t at_once, const Visit& visit) const {
    for (std::size_t first = 0; first < asked.size() && data.size() > 0; first += at_once) {
      const auto some = asked.subspan(first, std::min(at_once, asked.size() - first));
      visit({data, slice_of(queries_, {some.begin(), some.end()}), false, own_points});
    }
  }

  bool is_in_set_of(std::size_t group, std::size_t other) const {
    const auto set = [&](std::size_t place) { return sets_[static_cast<std::size_t>(order_[place])]; };
    return sets_.empty() || set(group) == set(other);
  }

  struct Half {
    Slice data, queries;
  };

  static std::vector<std::int32_t> merged(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) {
    std::vector<std::int32_t> all(a.size() + b.size());
    std::ranges::merge(a, b, all.begin());
    return all;
  }

  /// Searches the groups from `begin` to before `end` in each other, and returns all of them, unless they are whole.
  Half halve(std::size_t begin, std::size_t end, bool are_whole, const Visit& visit) {
    if (end - begin == 1)
      return {slice_of(data_, data_rows_[begin]), slice_of(queries_, std::move(query_rows_[begin]))};
    const std::size_t middle = begin + (end - begin) / 2;
    Half left = halve(begin, middle, false, visit), right = halve(middle, end, false, visit);
    const auto search = [&](const Half& data, const Half& queries) {
      if (data.data.size() > 0 && queries.queries.size() > 0) visit({data.data, queries.queries});
    };
    search(left, right);
    search(right, left);
    if (are_whole) return {};
    return {slice_of(data_, merged(left.data.rows, right.data.rows)),
            slice_of(queries_, merged(left.queries.rows, right.queries.rows))};
  }

  const PointsView data_, queries_;
  const bool is_self_;
  const int threads_;
  const std::span<const std::int64_t> data_labels_, query_labels_, sets_;
  std::vector<std::int64_t> order_;  // the labels, ascending
  std::vector<std::vector<std::int32_t>> data_rows_, query_rows_;
};

}  // namespace kann::detail
