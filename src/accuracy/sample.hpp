// Chooses the queries that are judged.
#pragma once

#include <cstdint>
#include <vector>

#include "accuracy/coordinates.hpp"

namespace kann::accuracy {

/// `count` of the numbers below `n`, ascending; all of them if there are not more. Every subset of that size is equally
/// likely, so that no regular pattern of the rows decides which are judged; the generator and its seed are fixed, so
/// that the same are judged on every machine. Uses Algorithm S (Knuth, The Art of Computer Programming 3.4.2), which
/// looks at each number, for n up to 2³¹ − 1, and Floyd's algorithm (Bentley and Floyd 1987, A sample of brilliance)
/// beyond.
std::vector<std::int64_t> sampled_numbers(std::int64_t n, std::int64_t count);

/// The rows of the queries that are judged: the valid queries are numbered, and those with the sampled_numbers() are
/// taken.
std::vector<std::int64_t> sampled_queries(const Coordinates& queries, std::int64_t query_count, std::int64_t count);

}  // namespace kann::accuracy
