// Which queries are judged.
#pragma once

#include <cstdint>
#include <vector>

#include "accuracy/coordinates.hpp"

namespace kann::accuracy {

/// `count` of the numbers below `n`, ascending; all of them if there are no more. Every subset of that size is as
/// likely, so that no regular pattern of the rows decides which are judged; the generator and its seed are fixed, so
/// that the same are judged on every machine. Of up to 2³¹ − 1 numbers, by Algorithm S (Knuth, The Art of Computer
/// Programming 3.4.2), which looks at each; of more, by that of Floyd (Bentley and Floyd 1987, A sample of brilliance).
std::vector<std::int64_t> sampled_numbers(std::int64_t n, std::int64_t count);

/// The rows of the valid among `queries` points that have the sampled_numbers() of all valid ones.
std::vector<std::int64_t> sampled_queries(const Coordinates& queries, std::int64_t query_count, std::int64_t count);

}  // namespace kann::accuracy
