// The sample of a shifted sort in tiles: the recall of queries that are searched exactly, too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "kann/search.hpp"

#include "comm/communicator.hpp"
#include "tiles/shifts/nearest_seen.hpp"

namespace kann::tiles {

class SampledRows {
 public:
  SampledRows() = default;

  /// @param rows of the sampled queries, ascending
  explicit SampledRows(std::vector<std::int64_t> rows);

  bool has(std::int64_t query) const {
    return may_have_[static_cast<std::size_t>(query) % k_may_have] && std::ranges::binary_search(rows_, query);
  }

  /// A query has seen a neighbour, at this squared distance as given. To be called once or more for each that is in its
  /// row at last.
  void saw(std::int64_t query, std::int64_t neighbor, double sq_dist) { seen_.push_back({query, neighbor, sq_dist}); }

  /// The row of a query is doubtful, and will be the exact one; or these are its neighbours, and −1 for missing ones.
  void set_doubtful(std::int64_t query) { doubtful_.push_back(query); }
  void set_row(std::int64_t query, std::span<const std::int64_t> neighbors);

  /// Tells all ranks of the rows of all, before the first exact one is compared. All ranks call it; it blocks.
  /// @throws as comm::Communicator::gather().
  void share(comm::Communicator& ranks);

  /// Whether the exact row of a query is that of the result.
  bool is_doubtful(std::int64_t query) const;

  /// Compares the row of a query with the exact one, of squared distances as given, ascending, without missing ones
  /// and those beyond a radius.
  void compare(std::int64_t query, std::span<const double> exact);

  /// Of all ranks, which all call it when all rows were compared. Blocks. @throws as share().
  Sample result(comm::Communicator& ranks) const;

 private:
  struct Seen {
    std::int64_t query, neighbor;
    double sq_dist;

    auto key() const { return std::pair(query, neighbor); }
  };
  struct Found {
    std::int64_t query, neighbor;
  };

  static constexpr std::size_t k_may_have = 1 << 16;  // a few of which are set

  std::vector<std::int64_t> rows_;
  std::vector<bool> may_have_ = std::vector<bool>(k_may_have);  // by the last bits of rows
  std::vector<Seen> seen_;
  std::vector<std::int64_t> doubtful_;
  std::vector<Found> found_;                              // in the rows
  std::map<std::int64_t, std::vector<double>> sq_dists_;  // of those, by query, from share() on
  std::int64_t neighbors_ = 0, neighbors_found_ = 0;
};

}  // namespace kann::tiles
