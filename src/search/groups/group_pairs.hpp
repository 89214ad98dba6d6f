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

/// Receives which slice is searched in which. @param are_own see SliceSearch
using Visit = std::function<void(const Slice& data, const Slice& queries, bool are_own)>;

/// Whether so few points and queries are searched on any thread.
using IsSmall = std::function<bool(std::int64_t points, std::int64_t queries)>;

/// One search: the slices of both clouds, and who visits them.
class GroupPairs {
 public:
  GroupPairs(const PointsView& data, const std::optional<PointsView>& queries, const Groups& groups, int threads)
      : data_(data), queries_(queries.value_or(data)), is_self_(!queries), rule_(groups.rule), threads_(threads) {
    const std::span<const std::int64_t> of_queries = is_self_ ? groups.data : groups.queries;
    check_labels(groups.data, data_, "data");
    check_labels(of_queries, queries_, "queries");
    const std::vector<std::int64_t> order = labels_of(groups.data, of_queries);
    data_rows_ = rows_by_group(data_, groups.data, order);
    if (!is_self_) query_rows_ = rows_by_group(queries_, of_queries, order);
  }

  /// Calls visit() for slices that hold each allowed pair of a query and a data point once. Those that `is_small` are
  /// visited by several threads at a time.
  void for_each(const IsSmall& is_small, const Visit& visit) {
    if (rule_ == GroupRule::same) return for_each_group(is_small, visit);
    if (!data_rows_.empty()) halve(0, data_rows_.size(), visit);
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
      visit(data, is_self_ ? data : others, is_self_);
    };
    constexpr std::int64_t grain = 8;
    base::parallel_chunks(std::ssize(data_rows_), grain, threads_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t group = begin; group < end; ++group) search_group(static_cast<std::size_t>(group), false);
    });
    for (std::size_t group = 0; group < data_rows_.size(); ++group) search_group(group, true);
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
      return {slice_of(data_, std::move(data_rows_[begin])),
              is_self_ ? Slice() : slice_of(queries_, std::move(query_rows_[begin]))};
    const std::size_t middle = begin + (end - begin) / 2;
    Half left = halve(begin, middle, visit), right = halve(middle, end, visit);
    const auto search = [&](const Half& data, const Half& queries) {
      const Slice& asking = is_self_ ? queries.data : queries.queries;
      if (data.data.size() > 0 && asking.size() > 0) visit(data.data, asking, false);
    };
    search(left, right);
    search(right, left);
    if (begin == 0 && end == data_rows_.size()) return {};
    return {slice_of(data_, merged(left.data.rows, right.data.rows)),
            is_self_ ? Slice() : slice_of(queries_, merged(left.queries.rows, right.queries.rows))};
  }

  const PointsView data_, queries_;
  const bool is_self_;
  const GroupRule rule_;
  const int threads_;
  std::vector<std::vector<std::int32_t>> data_rows_, query_rows_;
};

}  // namespace kann::detail
