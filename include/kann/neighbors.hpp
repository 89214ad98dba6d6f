// The result of a search: k neighbours per query.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "kann/array.hpp"
#include "kann/error.hpp"

namespace kann {

/// The id of a neighbour that does not exist (k exceeds the data, or the query is invalid); its distance is infinite.
inline constexpr std::int32_t k_missing_id = -1;

/// Rows of consecutive queries, where they are: k places each, of which missing neighbours are the last, or lists of
/// any length.
struct Rows {
  std::int64_t first = 0;  ///< number of the first query
  std::int64_t count = 0;
  std::int64_t k = 0;                         ///< places of a row; 0 for lists
  std::span<const std::int64_t> begins = {};  ///< of lists: where each begins among those of all, and the last ends
  /// Row numbers of the data, or k_missing_id: of 64 bits where the data have more points than int32 counts.
  std::variant<std::span<const std::int32_t>, std::span<const std::int64_t>> ids = {};
  std::span<const float> distances = {};           ///< infinity for missing neighbours
  std::span<const double> float64_distances = {};  ///< with RowBlocks::has_float64_distances: NeighborVectors'
  std::span<const std::int32_t> shifts = {};       ///< RowBlocks::shift_numbers for each, likewise

  std::int64_t id(std::size_t i) const {
    return std::visit([i](const auto& all) { return static_cast<std::int64_t>(all[i]); }, ids);
  }
  std::span<const std::byte> id_bytes() const {
    return std::visit([](const auto& all) { return std::as_bytes(all); }, ids);
  }

  /// Whether place `i` of the rows has no neighbour. Looks at the distance first, so that most ids are not read.
  bool is_missing(std::size_t i) const {
    return distances[i] == std::numeric_limits<float>::infinity() && id(i) == k_missing_id;
  }

  /// Where the neighbours of row `i` are among `ids` and `distances`: from the first to before the second, without
  /// missing ones.
  std::pair<std::size_t, std::size_t> row(std::int64_t i) const {
    const auto at = static_cast<std::size_t>(i), places = static_cast<std::size_t>(k);
    if (!begins.empty())
      return {static_cast<std::size_t>(begins[at] - begins[0]), static_cast<std::size_t>(begins[at + 1] - begins[0])};
    std::size_t end = (at + 1) * places;
    while (end > at * places && is_missing(end - 1)) --end;
    return {at * places, end};
  }
};

/// Rows that need not fit in memory: they come in blocks.
struct RowBlocks {
  std::int64_t queries = 0;
  std::int64_t k = 0;         ///< places of a row; 0 for lists
  bool has_wide_ids = false;  ///< all ids have 64 bits: npy and npz then have int64

  using Sink = std::function<void(const Rows&)>;

  /// Passes all rows to the sink, in their order, at each call. It may be called more than once, since some formats
  /// have all ids before the distances.
  std::function<void(const Sink&)> for_each;

  std::int64_t first = 0;  ///< number of the first row, if others precede it

  /// What is known of lists before they come.
  struct Lists {
    std::int64_t data_points = 0;  ///< the number of columns, if the lists are a matrix
    std::int64_t neighbors = 0;    ///< in all rows

    using Sink = std::function<void(std::span<const std::int64_t>)>;

    /// Passes where each row begins, as NeighborLists::begins has it, to the sink at each call: `queries` + 1 numbers,
    /// in their order.
    std::function<void(const Sink&)> for_each_begins;
  };
  std::optional<Lists> lists = {};     ///< none: rows of k places
  int shift_numbers = 0;               ///< of each neighbour, for npz; 0: there are none
  bool has_float64_distances = false;  ///< npz and npy have these
};

/// `queries` × `k` neighbours, row-major: one row per query, in the order of the queries, each sorted by (squared
/// distance, id).
struct Neighbors {
  std::int64_t queries = 0;
  std::int64_t k = 0;
  Array<std::int32_t> ids;  ///< queries × k row numbers of the data, or k_missing_id
  Array<float> distances;   ///< queries × k Euclidean distances (not squared), in the units of the input

  /// All of them, as long as this object is there.
  operator Rows() const { return {0, queries, k, {}, std::span<const std::int32_t>(ids), distances}; }
};

/// The rows of `neighbors`, which must outlive the return value, as one block.
RowBlocks one_block(const Neighbors& neighbors);

/// Refuses arrays that do not match the shape, with "WHO: 2 rows of 1 neighbours do not match 1 ids and 1 distances".
/// @throws Error of that kind.
void check_rows(const Rows& rows, const std::string& who, ErrorKind kind = ErrorKind::bad_input);

}  // namespace kann
