// Chooses the queries that are judged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "products/accuracy/coordinates.hpp"

namespace kann::accuracy {

/// `count` of the numbers below `n`, ascending; all of them if there are not more. Every subset of that size is equally
/// likely, so that no regular pattern of the rows decides which are judged; the generator and its seed are fixed, so
/// that the same are judged on every machine. Uses Algorithm S (Knuth, The Art of Computer Programming 3.4.2), which
/// looks at each number, for n up to 2³¹ − 1, and Floyd's algorithm (Bentley and Floyd 1987, A sample of brilliance)
/// beyond.
std::vector<std::int64_t> sampled_numbers(std::int64_t n, std::int64_t count);

/// The queries that are judged, of queries that come in blocks in their order: the valid ones are numbered, and those
/// with the sampled_numbers() are taken.
class QuerySample {
 public:
  /// @param valid the number of valid queries in all blocks
  QuerySample(std::int64_t valid, std::int64_t count) : numbers_(sampled_numbers(valid, count)) {}

  /// The rows that are judged among the `count` queries of the next block; the first one is row 0.
  std::vector<std::int64_t> next_rows(const Coordinates& queries, std::int64_t count);

 private:
  std::vector<std::int64_t> numbers_;
  std::size_t next_ = 0;     // the next of these numbers
  std::int64_t number_ = 0;  // of the next valid query
};

}  // namespace kann::accuracy
