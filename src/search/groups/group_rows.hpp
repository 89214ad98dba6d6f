// Rows and lists that are put together from those of slices.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kann/array.hpp"
#include "kann/neighbors.hpp"
#include "kann/radius.hpp"

#include "base/threads/parallel.hpp"
#include "search/groups/slice_search.hpp"
#include "search/rows/candidates.hpp"
#include "search/rows/list_order.hpp"
#include "search/search_radius.hpp"

namespace kann::detail {

/// The k nearest of what several slices have for the same query: merged by (d², row), so that of points whose distances
/// are equal in float32 the right ones stay.
class MergedRows {
 public:
  MergedRows(std::int64_t queries, std::int64_t k)
      : k_(static_cast<std::size_t>(k)), best_(static_cast<std::size_t>(queries) * k_, Candidate::missing()) {}

  /// Returns for each query whether it is answered: its row was full, or had all that counts. Others are left as they
  /// are.
  /// @param search has found the rows
  /// @param is_left_out tells which pairs of a query and a data point, by their rows, do not count
  template <class IsLeftOut>
  std::vector<std::uint8_t> add(const SliceSearch& search, const Slice& data, const Slice& queries,
                                const Neighbors& found, int threads, IsLeftOut is_left_out) {
    std::vector<std::uint8_t> are_answered(queries.rows.size());
    base::parallel_for(found.queries, threads, [&](std::int64_t query) {
      thread_local std::vector<Candidate> row, scratch;
      thread_local std::vector<double> sq_distances;
      row.clear();
      const std::int32_t query_row = queries.rows[static_cast<std::size_t>(query)];
      const auto [begin, end] = static_cast<Rows>(found).row(query);
      const auto ids = std::span(found.ids).subspan(begin, end - begin);
      search.sq_distances(queries, query, data, ids, std::span(found.distances).subspan(begin, ids.size()),
                          sq_distances);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::int32_t id = data.rows[static_cast<std::size_t>(ids[i])];
        if (!is_left_out(query_row, id)) row.push_back({sq_distances[i], id, false});
      }
      const bool is_answered = row.size() >= k_ || std::ssize(ids) < found.k;
      are_answered[static_cast<std::size_t>(query)] = is_answered;
      if (!is_answered) return;
      sort(row);
      merge(row_of(best_, query_row), row, scratch);
    });
    return are_answered;
  }

  void write(Neighbors& rows, int threads) {
    base::parallel_for(rows.queries, threads, [&](std::int64_t query) {
      write_row<std::int32_t>(row_of(best_, query), std::nullopt, row_of(rows.ids, query),
                              row_of(rows.distances, query));
    });
  }

 private:
  template <class T>
  std::span<T> row_of(Array<T>& all, std::int64_t query) const {
    return std::span(all).subspan(static_cast<std::size_t>(query) * k_, k_);
  }

  const std::size_t k_;
  CandidateRows best_;
};

/// The lists of all queries from those of slices.
class JoinedLists {
 public:
  /// @param most neighbours that fit in memory @param only_counts ids and distances are forgotten
  JoinedLists(std::int64_t queries, std::int64_t most, bool only_counts)
      : most_(most), only_counts_(only_counts), counts_(static_cast<std::size_t>(queries)) {}

  /// May be called by several threads. @param is_left_out as in MergedRows
  template <class IsLeftOut>
  void add(const Slice& data, const Slice& queries, NeighborLists lists, IsLeftOut is_left_out) {
    std::int64_t kept = 0, at = 0;
    for (std::size_t i = 0; i < queries.rows.size() && !lists.ids.empty(); ++i) {
      for (const std::int64_t end = lists.begins[i + 1]; at < end; ++at) {
        const std::int32_t id = data.rows[static_cast<std::size_t>(lists.ids[at])];
        if (is_left_out(queries.rows[i], id)) continue;
        lists.ids[kept] = id;
        lists.distances[kept++] = lists.distances[at];
      }
      lists.begins[i + 1] = kept;
    }
    const std::lock_guard lock(mutex_);
    neighbors_ += lists.neighbors();
    if (neighbors_ > most_) parts_.clear();
    for (std::size_t i = 0; i < queries.rows.size(); ++i)
      counts_[static_cast<std::size_t>(queries.rows[i])] += lists.begins[i + 1] - lists.begins[i];
    if (!lists.ids.empty() && neighbors_ <= most_ && !only_counts_) parts_.push_back({queries.rows, std::move(lists)});
  }

  /// @throws Error resources: they do not fit in memory.
  NeighborLists joined(int threads) {
    NeighborLists all;
    all.begins.push_back(0);
    for (const std::int64_t count : counts_) all.begins.push_back(all.begins.back() + count);
    if (only_counts_) return all;
    if (neighbors_ > most_) refuse_lists(neighbors_, most_);
    std::vector<std::int64_t> next(all.begins.begin(), all.begins.end() - 1);
    all.ids.resize(static_cast<std::size_t>(all.neighbors()));
    all.distances.resize(all.ids.size());
    for (Part& part : parts_) {
      for (std::size_t i = 0; i < part.queries.size(); ++i) {
        const std::int64_t first = part.lists.begins[i], count = part.lists.begins[i + 1] - first;
        std::int64_t& to = next[static_cast<std::size_t>(part.queries[i])];
        std::copy_n(part.lists.ids.begin() + first, count, all.ids.begin() + to);
        std::copy_n(part.lists.distances.begin() + first, count, all.distances.begin() + to);
        to += count;
      }
      part = {};
    }
    put_in_order(all.begins, all.ids, all.distances, all.neighbors(), threads);
    return all;
  }

 private:
  struct Part {
    std::vector<std::int32_t> queries;
    NeighborLists lists;
  };

  const std::int64_t most_;
  const bool only_counts_;
  std::int64_t neighbors_ = 0;
  std::mutex mutex_;
  std::vector<std::int64_t> counts_;
  std::vector<Part> parts_;
};

}  // namespace kann::detail
