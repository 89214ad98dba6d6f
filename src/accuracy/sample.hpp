// Which queries are judged.
#pragma once

#include <cstdint>
#include <vector>

#include "accuracy/coordinates.hpp"

namespace kann::accuracy {

/// `count` of the valid among `queries` points, ascending; all of them if there are no more. Every subset of that size
/// is as likely (Knuth, The Art of Computer Programming 3.4.2, Algorithm S), so that no regular pattern of the rows
/// decides which are judged; the generator and its seed are fixed, so that the same are judged on every machine.
std::vector<std::int64_t> sampled_queries(const Coordinates& queries, std::int64_t query_count, std::int64_t count);

}  // namespace kann::accuracy
