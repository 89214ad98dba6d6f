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
        rule_(groups.rule),
        threads_(threads),
        data_labels_(groups.data),
        query_labels_(is_self_ ? groups.data : groups.queries) {
    check_labels(data_labels_, data_, "data");
    check_labels(query_labels_, queries_, "queries");
    const std::vector<std::int64_t> order = labels_of(data_labels_, query_labels_);
    data_rows_ = rows_by_group(data_, data_labels_, order);
    if (!is_self_) query_rows_ = rows_by_group(queries_, query_labels_, order);
  }

  /// Calls visit() for slices that hold each allowed pair of a query and a data point once. Those that `is_small` are
  /// visited by several threads at a time.
  /// @param may_have_own false: no slice has points of a query's own group
  void for_each(const IsSmall& is_small, const Visit& visit, bool may_have_own = true) {
    if (rule_ == GroupRule::same) return for_each_group(is_small, visit);
    if (may_have_own) search_small_groups(visit);
    if (!data_rows_.empty()) halve(0, data_rows_.size(), visit);
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

  std::vector<std::int32_t>& query_rows(std::size_t group) { return is_self_ ? data_rows_[group] : query_rows_[group]; }

  void for_each_group(const IsSmall& is_small, const Visit& visit) {
    const auto search_group = [&](std::size_t group, bool is_large) {
      const auto points = std::ssize(data_rows_[group]), asked = std::ssize(query_rows(group));
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

  /// Queries whose group has few points find the others among as many more neighbours: one search in all data does for
  /// all of them. Their groups become one, of which only the data are left.
  void search_small_groups(const Visit& visit) {
    constexpr std::ptrdiff_t few = 32;
    const auto is_small_group = [&](std::size_t group) { return std::ssize(data_rows_[group]) <= few; };
    std::vector<std::int32_t> all, asked, small;
    std::vector<std::vector<std::int32_t>> large, large_queries;
    std::int64_t own_points = 0;
    for (std::size_t group = 0; group < data_rows_.size(); ++group) {
      std::vector<std::int32_t>& rows = data_rows_[group];
      all.insert(all.end(), rows.begin(), rows.end());
      if (is_small_group(group)) {
        own_points = std::max(own_points, std::ssize(rows));
        small.insert(small.end(), rows.begin(), rows.end());
        if (!is_self_) asked.insert(asked.end(), query_rows_[group].begin(), query_rows_[group].end());
      } else {
        large.push_back(std::move(rows));
        if (!is_self_) large_queries.push_back(std::move(query_rows_[group]));
      }
    }
    for (auto* const rows : {&all, &asked, &small}) std::ranges::sort(*rows);
    if (is_self_) asked = small;
    const Slice data = slice_of(data_, std::move(all));
    constexpr std::size_t at_once = 1 << 20;
    for (std::size_t first = 0; first < asked.size() && data.size() > 0; first += at_once) {
      const auto some = std::span(asked).subspan(first, std::min(at_once, asked.size() - first));
      visit({data, slice_of(queries_, {some.begin(), some.end()}), false, own_points});
    }
    data_rows_ = std::move(large);
    query_rows_ = std::move(large_queries);
    if (data_rows_.empty() || small.empty()) return;
    data_rows_.push_back(std::move(small));
    if (!is_self_) query_rows_.emplace_back();
    has_answered_ = true;
  }

  struct Half {
    Slice data, queries;
  };

  static std::vector<std::int32_t> merged(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) {
    std::vector<std::int32_t> all(a.size() + b.size());
    std::ranges::merge(a, b, all.begin());
    return all;
  }

  /// Searches the groups from `begin` to before `end` in each other, and returns all of them.
  Half halve(std::size_t begin, std::size_t end, const Visit& visit) {
    if (end - begin == 1)
      return {slice_of(data_, data_rows_[begin]),
              slice_of(queries_, is_self_ ? asking_rows(begin) : std::move(query_rows_[begin]))};
    const std::size_t middle = begin + (end - begin) / 2;
    Half left = halve(begin, middle, visit), right = halve(middle, end, visit);
    const auto search = [&](const Half& data, const Half& queries) {
      if (data.data.size() > 0 && queries.queries.size() > 0) visit({data.data, queries.queries});
    };
    search(left, right);
    search(right, left);
    if (begin == 0 && end == data_rows_.size()) return {};
    return {slice_of(data_, merged(left.data.rows, right.data.rows)),
            slice_of(queries_, merged(left.queries.rows, right.queries.rows))};
  }

  /// The queries of a group in a self-query: its points, unless they have been searched.
  std::vector<std::int32_t> asking_rows(std::size_t group) const {
    return has_answered_ && group + 1 == data_rows_.size() ? std::vector<std::int32_t>() : data_rows_[group];
  }

  const PointsView data_, queries_;
  const bool is_self_;
  const GroupRule rule_;
  const int threads_;
  const std::span<const std::int64_t> data_labels_, query_labels_;
  std::vector<std::vector<std::int32_t>> data_rows_, query_rows_;
  bool has_answered_ = false;  ///< the last group has points whose neighbours have been found
};

}  // namespace kann::detail
