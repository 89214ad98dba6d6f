// The comparison of a result with an earlier one, or with a ground truth in a file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kann/accuracy.hpp"
#include "kann/neighbors.hpp"
#include "kann/points.hpp"

namespace kann {

/// Whether read_neighbors() reads files of that name: .npz, .npy, .bin, .ibin and .ivecs, in any case.
bool can_read_neighbors(std::string_view path);

/// Reads a result or a ground truth; blocks. The extension is the format: npz (`ids` and, if there is one, `distances`,
/// as NeighborFile and numpy.savez write them: integers of 32 or 64 bits, float32), npy (ids), bin (big-ann: numbers of
/// queries and neighbours, ids, distances), ibin (the same without distances) and ivecs (rows of one length). Without
/// distances in the file, `distances` is empty. A missing neighbour has the id −1. Memory is allocated for the bytes
/// that the file holds, not for the counts in its header.
/// @param meta if not null, becomes the text of the array `meta`, in which NeighborFile says in JSON what the result is
///        of; empty if there is none.
/// @throws Error usage (an extension that can_read_neighbors() refuses), bad_input ("FILE[@byte B]: what is wrong"),
///         resources (memory).
Neighbors read_neighbors(const std::string& path, std::string* meta = nullptr);

/// A hash of all coordinates and their order, by which results say which clouds they are of: the same for float32 and
/// float64 with the same values. Of a cloud in blocks, that of the whole is the sum of theirs, modulo 2⁶⁴, each with
/// the number of its first row. Blocks. @param threads 0: all of the machine
std::uint64_t coordinates_hash(const PointsView& points, std::int64_t first_row = 0, int threads = 0);

/// Refuses a reference, called `name` in messages, that is not one of `queries` rows of ids of `points` points, or has
/// an id twice in a row. @throws Error bad_input.
void check_reference(const Neighbors& reference, std::int64_t queries, std::int64_t points, const std::string& name);

/// Compares `result` with `reference`, of the same queries: as measure_accuracy() does, with the reference's neighbours
/// in place of the exact ones. Its distances are not used; those of its ids are computed in double, from the
/// coordinates as given. Of each query, the min(k, the reference's k) nearest that the reference has are expected,
/// whatever their order, and less those that are missing (id −1), invalid points, farther than the radius or, in a
/// self-query, the query itself. A query of which nothing is expected, though the result has neighbours, is not judged.
/// A returned neighbour, of all k, is correct if its d² is at most that of the last expected one, so that a result that
/// is better than the reference has a recall of 1, not more; Accuracy::nearer counts its rows. Blocks.
/// @throws Error as measure_accuracy() and check_reference() do, and what on_progress throws.
Accuracy compare(const Points& data, const Points& queries, const Neighbors& result, const Neighbors& reference,
                 const AccuracyOptions& options);

}  // namespace kann
