// LAZ, which is LAS whose point records are compressed, by the library LASzip. A build without it has no_laszip.cpp.
#pragma once

#include <memory>
#include <string>

#include "kann/error.hpp"

#include "formats/files/input.hpp"
#include "formats/las/las_header.hpp"
#include "formats/table/cloud_writer.hpp"
#include "formats/table/fixed_rows.hpp"

namespace kann::formats {

/// Whether this build reads and writes LAZ.
bool has_laszip();

/// Refuses to write a LAZ file in a build that cannot. @throws Error usage.
inline void check_writes_laz(const std::string& file) {
  if (!has_laszip())
    throw Error(ErrorKind::usage, file + ": LAZ is not written, as this build has no LASzip; write las");
}

/// The point records of a LAZ file. Finds where its chunks are, and checks what the library would trust. Blocks.
/// @param head all bytes before the points; becomes the head of the LAS file that this file is decompressed to
/// @param obstacle as RowLayout::obstacle: set if the points are compressed in one piece
/// @throws Error bad_input: the file is cut or damaged, or compressed in a way that is not known.
std::shared_ptr<const PackedRowSource> open_laz(Input& input, const LasHeader& header, std::string& head,
                                                std::string& obstacle);

/// A writer of LAZ: compresses what `las` writes. @param file its name in messages
std::unique_ptr<CloudWriter> laz_writer(std::unique_ptr<CloudWriter> las, const std::string& file);

}  // namespace kann::formats
