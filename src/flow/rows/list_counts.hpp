// How many neighbours the lists of the queries have, and which blocks of lists are held together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "flow/ranks/communicator.hpp"

namespace kann::flow {

/// Counts by groups of consecutive queries, so that the counters take little memory for any number of queries.
class ListCounts {
 public:
  explicit ListCounts(std::int64_t queries)
      : queries_(queries),
        group_(group_of(queries)),
        counts_(static_cast<std::size_t>((queries + group_ - 1) / group_)) {}

  /// Bytes of memory, also while several ranks add up their counts.
  static double bytes(std::int64_t queries, int ranks) {
    const auto groups = static_cast<double>((queries + group_of(queries) - 1) / group_of(queries));
    return groups * sizeof(std::int64_t) * (ranks == 1 ? 1 : 5);
  }

  /// Adds to the count of a query; a negative number takes off.
  void add(std::int64_t query, std::int64_t neighbors) {
    counts_[static_cast<std::size_t>(query / group_)] += neighbors;
  }

  /// Adds up what all ranks have counted. All ranks call it, once; it blocks. @throws as Communicator::sum().
  void sum(Communicator& ranks) { ranks.sum(std::span(counts_)); }

  std::int64_t total() const { return std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0}); }

  /// The first query of each block, then the number of queries. Blocks are whole groups. Each has `neighbors` and
  /// `queries` at most, unless it is a single group.
  std::vector<std::int64_t> blocks(std::int64_t neighbors, std::int64_t queries) const {
    std::vector<std::int64_t> begins{0};
    std::int64_t held = 0;
    for (std::size_t g = 0; g < counts_.size(); ++g) {
      const std::int64_t first = static_cast<std::int64_t>(g) * group_, end = std::min(queries_, first + group_);
      held += counts_[g];
      if (first > begins.back() && (held > neighbors || end - begins.back() > queries)) {
        begins.push_back(first);
        held = counts_[g];
      }
    }
    if (queries_ > 0) begins.push_back(queries_);
    return begins;
  }

 private:
  static std::int64_t group_of(std::int64_t queries) {
    constexpr std::int64_t most_groups = 1 << 15;
    return std::max<std::int64_t>(1, (queries + most_groups - 1) / most_groups);
  }

  std::int64_t queries_, group_;  // queries in a group
  std::vector<std::int64_t> counts_;
};

}  // namespace kann::flow
