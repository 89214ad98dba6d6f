// The accuracy of what a search has found, whether rows and clouds are in memory or in files.
#pragma once

#include <cstdint>
#include <string>

#include "kann/accuracy.hpp"

#include "flow/rows/found.hpp"
#include "formats/neighbors/reference_file.hpp"
#include "products/accuracy/block_comparison.hpp"

namespace kann::flow {

/// Bytes of memory per row that compare() takes: the ids of the row and, twice, those of the reference; and what the
/// comparison takes.
inline double compared_bytes(double k, double reference_k) {
  return (k + 2 * reference_k) * sizeof(std::int64_t) + accuracy::BlockComparison::row_bytes(k, reference_k);
}

/// The same where the rows of the result are in memory.
inline double compared_bytes_in_memory(double reference_k) {
  return accuracy::BlockComparison::row_bytes(0, reference_k);
}

/// measure_accuracy() of rows of k neighbours each. Blocks. @param query_skipped queries that are not valid
/// @throws Error as measure_accuracy(); internal: rows without neighbours, or of any length.
Accuracy verify(const Found& found, std::int64_t query_skipped, const AccuracyOptions& options);

/// compare() of the rows with those of a file, which is called `name` in messages. Blocks.
/// @throws Error as compare() and formats::ReferenceFile; internal as verify().
Accuracy compare(const Found& found, formats::ReferenceFile& reference, const std::string& name,
                 const AccuracyOptions& options);

}  // namespace kann::flow
