// What the program does with a NeighborFile beside the public functions: rows that are written to their places.
#pragma once

#include <string>

#include "kann/io.hpp"

#include "formats/files/written_once.hpp"

namespace kann::formats {

/// The path of the distances in format npy. Example: "a.npy" (the extension in any case) and "a" both give
/// "a.distances.npy".
std::string distances_path(const std::string& path);

/// Whether the format has a place for rows of any length.
bool holds_lists(NeighborFormat format);

/// Whether each row has its place in a file of the format, whatever the other rows are: PlacedRows can write them.
bool has_places_of_rows(NeighborFormat format);

/// Whether both the ids and the distances of a row have such places, so that PlacedRows can read them again.
bool keeps_rows(NeighborFormat format);

/// Refuses rows that the format has no place for. @throws Error usage.
void check_holds(NeighborFormat format, const RowBlocks& rows, const std::string& name);

}  // namespace kann::formats

/// Its files: that of the rows, or, in npy, those of the ids and of the distances.
struct kann::NeighborFile::State : formats::WrittenOnce {
  NeighborFormat format;

  static State& of(NeighborFile& file) { return *file.state_; }
};
