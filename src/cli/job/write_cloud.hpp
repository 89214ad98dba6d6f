// Writes the cloud of the queries, with what was found for each point.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kann/attributes.hpp"
#include "kann/cloud_file.hpp"
#include "kann/io.hpp"
#include "kann/outliers.hpp"

namespace kann::cli {

/// Writes the points with all their own attributes, and `columns`. An own attribute that has the name of a column is
/// renamed to query_NAME. Blocks.
/// @param dropped outliers that are left out, or null
/// @returns warnings
/// @throws Error as CloudFile::write().
std::vector<std::string> write_cloud(CloudFile& file, const Cloud& queries, std::span<const Attribute> columns,
                                     const OutlierResult* dropped, int threads);

}  // namespace kann::cli
