// Rows of any length, which threads find in any order, put together.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "kann/array.hpp"
#include "kann/radius.hpp"

#include "cpu/nearest/within.hpp"

namespace kann::cpu {

class ListCollector {
 public:
  /// @param most_neighbors if there are more in all rows, these are only counted
  ListCollector(std::int64_t queries, std::int64_t most_neighbors);

  /// How many neighbours each row has, by the number of the row; written before add() is called for them.
  std::int32_t* counts() { return counts_.data(); }

  /// Whether rows are still kept, not only counted.
  bool keeps_rows() const { return neighbors_ <= most_; }

  /// Room for about as many keys as `count` rows will have, by those that were added. Any thread may call it.
  FoundKeys room_for(std::int64_t count) const;

  /// Adds rows `rows[0 … count)`, whose keys follow one another in `found`, unless rows are only counted. Any thread
  /// may call it.
  void add(const std::uint32_t* rows, std::int64_t count, FoundKeys found);

  /// The rows, or their counts; call it once.
  NeighborLists finish(int threads);

 private:
  struct Part {
    const std::uint32_t* rows;
    std::int64_t count;
    Array<std::uint64_t> keys;
  };

  const std::int64_t most_;
  Array<std::int32_t> counts_;
  std::atomic<std::int64_t> neighbors_{0}, added_{0};  // in the rows that were added, and the number of these
  std::mutex mutex_;                                   // guards parts_
  std::vector<Part> parts_;
};

}  // namespace kann::cpu
