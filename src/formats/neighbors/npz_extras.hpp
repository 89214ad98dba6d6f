// What an npz has beside ids and distances.
#pragma once

#include <cstdint>

#include "kann/io.hpp"

#include "formats/zip/zip_writer.hpp"

namespace kann::formats {

/// Adds the arrays that follow ids and distances in an npz, and finishes the archive. Blocks. @throws Error resources,
/// and what the columns throw.
void finish_npz(ZipWriter& zip, std::int64_t queries, const ResultExtras& extras);

}  // namespace kann::formats
