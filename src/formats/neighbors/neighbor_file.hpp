// What the program does with a NeighborFile beside the public functions: it writes rows to their places, also by
// several processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kann/io.hpp"

namespace kann::formats {

/// The path of the distances in format npy. Example: "a.npy" (the extension in any case) and "a" both give
/// "a.distances.npy".
std::string distances_path(const std::string& path);

/// Whether the format has a place for rows of any length.
bool holds_lists(NeighborFormat format);

/// Whether each row has its place in a file of the format, whatever the other rows are. share() can share such a file.
bool has_places_of_rows(NeighborFormat format);

/// Whether both the ids and the distances of a row have such places, so that NeighborPart can read them again.
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

/// Lets several processes, this one among them, write their rows into the file at the same time, each with a
/// NeighborPart; blocks. Returns what these need to find their places in the file; empty if rows have no fixed places
/// (text, streams), or there are no rows. Call join() once all have written, or NeighborFile::write() if none does.
/// @throws Error usage (the format cannot hold wide ids), resources.
std::vector<std::byte> share(NeighborFile& file, std::int64_t queries, std::int64_t k, bool has_wide_ids);

/// After share(): writes everything but the rows; blocks. `parts` are the return values of all NeighborPart::write(),
/// in the order of their rows. The bytes are those of NeighborFile::write() with all rows. Returns false, with nothing
/// done, if the file lacks what the parts have written, which happens on file systems that keep a copy per host:
/// NeighborFile::write() has to follow.
/// @throws Error resources, internal (they are not all rows).
[[nodiscard]] bool join(NeighborFile& file, std::span<const std::vector<std::byte>> parts, int threads = 0,
                        const ResultExtras& extras = {});

}  // namespace kann::formats
