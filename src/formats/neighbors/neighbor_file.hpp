// What the program does with a NeighborFile beside the public functions: labels, and rows that are written to their
// places.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kann/io.hpp"

#include "formats/files/output_file.hpp"
#include "formats/neighbors/binary_writer.hpp"

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

/// Whether the format has a place for labels of points, without neighbours.
bool holds_labels(NeighborFormat format);

/// Refuses ids of 64 bits where the format has no place for them. @throws Error usage.
void check_holds_ids(NeighborFormat format, bool has_wide_ids, const std::string& name);

/// Writes one whole number per point in the place of rows: npz has it as an array of the column's name, csv and tsv as
/// the second column, after `query`. Blocks. An npz in a stream takes the labels twice.
/// @param points how many values the column has
/// @throws Error as NeighborFile::write().
void write_labels(NeighborFile& file, const ColumnBlocks& labels, std::int64_t points, std::string_view meta_json,
                  int threads = 0);

/// The open files of a result.
struct ResultFiles {
  NeighborFormat format;
  OutputFile& file;
  OutputFile* distances;  ///< the second file of npy; null: there is none

  OutputFile& of(const ArrayPlace& place) const { return place.is_in_distances_file ? *distances : file; }
};

ResultFiles files_of(NeighborFile& file);

/// Writes everything but the rows, which are in their places; blocks.
/// @param checksums as for write_around_arrays() @throws Error resources.
void write_around(NeighborFile& file, const ResultShape& shape, std::span<const std::uint32_t> checksums,
                  const ResultExtras& extras, int threads);

}  // namespace kann::formats
