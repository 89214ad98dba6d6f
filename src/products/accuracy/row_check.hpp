// Whether a row of a result is right by its own definition, whatever the nearest neighbours are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "products/accuracy/judged_row.hpp"
#include "products/accuracy/written_distance.hpp"

namespace kann::accuracy {

/// The first fault of a row: its kind and rank.
struct RowFault {
  enum class Kind {
    not_padded,      ///< a missing neighbour (id −1) whose distance is not infinite
    after_missing,   ///< a neighbour after a missing one
    too_few,         ///< a missing neighbour although the row is exact and there are more points
    skipped_query,   ///< a neighbour of an invalid query
    own_id,          ///< the query itself in a self-query without it
    wrong_group,     ///< a point that the groups do not allow
    skipped_point,   ///< an invalid point as a neighbour
    repeated,        ///< an id twice
    wrong_distance,  ///< a distance that does not belong to the id
    not_ascending,   ///< a distance below the one before
    beyond_radius,   ///< a neighbour that is farther than the radius
  };
  Kind kind;
  std::int64_t rank;
};

/// What the rows of a result must satisfy.
struct RowRules {
  bool exact = false;       ///< distances are right bit for bit, and all neighbours are there
  bool has_radius = false;  ///< how many neighbours there should be is not known here
  bool has_images = false;  ///< a point may be there more than once, each time by another image
  WrittenUnit unit;
};

/// The first fault of a row. `ids` is memory, reused for the next row. Thread-safe.
std::optional<RowFault> check_row(const JudgedRow& row, const RowRules& rules, std::vector<std::int64_t>& ids);

/// "rank 3: distance 2 of id 17 (need 1.5)"
std::string describe(const RowFault& fault, const JudgedRow& row, const RowRules& rules);

}  // namespace kann::accuracy
