// The accuracy of what a search has found, whether rows and clouds are in memory or in files.
#pragma once

#include <cstdint>
#include <string>

#include "kann/accuracy.hpp"

#include "flow/rows/found.hpp"
#include "formats/neighbors/reference_file.hpp"

namespace kann::flow {

/// Bytes of memory per row that compare() takes of rows in files: the reference's ids, twice, and the spatial order of
/// the rows, which is sorted.
inline double compared_bytes(double reference_k) { return 2 * sizeof(std::int64_t) * reference_k + 16; }

/// The same where the rows of the result are in memory.
inline double compared_bytes_in_memory(double reference_k) { return sizeof(std::int32_t) * reference_k + 16; }

/// measure_accuracy() of rows of k neighbours each. Blocks. @param query_skipped queries that are not valid
/// @throws Error as measure_accuracy(); internal: rows without neighbours, or of any length.
Accuracy verify(const Found& found, std::int64_t query_skipped, const AccuracyOptions& options);

/// compare() of the rows with those of a file, which is called `name` in messages. Blocks.
/// @throws Error as compare() and formats::ReferenceFile; internal as verify().
Accuracy compare(const Found& found, formats::ReferenceFile& reference, const std::string& name,
                 const AccuracyOptions& options);

}  // namespace kann::flow
