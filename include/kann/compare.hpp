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
/// @param meta if not null, receives the text of the array `meta`, the JSON in which NeighborFile describes the search
///        behind the result; empty if there is none.
/// @throws Error usage (an extension that can_read_neighbors() refuses), bad_input ("FILE[@byte B]: what is wrong"),
///         resources (memory).
Neighbors read_neighbors(const std::string& path, std::string* meta = nullptr);

/// A hash of all coordinates and their order, by which a result identifies its clouds. It is the same for float32 and
/// float64 with the same values. If a cloud comes in blocks, its hash is the sum, modulo 2⁶⁴, of the hashes of its
/// blocks, each computed with the number of its first row. Blocks. @param threads 0: all of the machine
std::uint64_t coordinates_hash(const PointsView& points, std::int64_t first_row = 0, int threads = 0);

/// Refuses a reference (called `name` in messages) that does not have `queries` rows, has an id that is neither
/// k_missing_id nor in [0, `points`), or has an id twice in one row, unless all images are neighbours. @throws Error
/// bad_input.
void check_reference(const Neighbors& reference, std::int64_t queries, std::int64_t points, const std::string& name,
                     Images images = Images::nearest);

/// Compares `result` with `reference`, which answers the same queries, as measure_accuracy() does, with the reference's
/// neighbours in place of the exact ones. The distances in the reference are not used; distances to its ids are
/// computed in double, from the coordinates as given. Expected for each query are the min(k, the reference's k) nearest
/// neighbours in the reference, in any order, without those that are missing (id −1), invalid points, farther than the
/// radius or, in a self-query, the query itself. A query for which nothing is expected, though the result has
/// neighbours, is not judged. A returned neighbour, of all k, is correct if its d² is at most that of the last expected
/// one, so that a result that is better than the reference has a recall of 1, not more; Accuracy::nearer counts its
/// rows. Blocks.
/// @throws Error as measure_accuracy() and check_reference() do, and what on_progress throws.
Accuracy compare(const Points& data, const Points& queries, const Neighbors& result, const Neighbors& reference,
                 const AccuracyOptions& options);

}  // namespace kann
