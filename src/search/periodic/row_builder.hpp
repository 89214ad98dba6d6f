// One row of a search in a periodic box, from the lists that searches by images of its query have returned.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "kann/neighbors.hpp"

#include "geometry/exact_neighbor.hpp"
#include "search/periodic/periodic_rows.hpp"

namespace kann::detail {

class RowBuilder {
 public:
  RowBuilder(const PeriodicRows& of, std::int64_t query, std::int64_t k);

  const Placement::Place& place() const { return place_; }
  bool is_blurred() const { return of_.placement.is_blurred(place_); }

  /// Adds row `row` of `lists`: the neighbours of the query where it is, which come first, or of its image.
  void add(const Neighbors& lists, std::int64_t row) { add(lists, row, place_.at, place_.is_given); }
  void add(const Neighbors& lists, std::int64_t row, const Position& image) { add(lists, row, image, false); }

  /// Whether the last list had all data points.
  bool has_all() const { return static_cast<std::int64_t>(candidates_.size()) >= available_; }

  /// The k-th smallest d² so far, which that of the row does not exceed; infinite if there are fewer.
  double sq_radius();

  /// Writes the row, if it is certain. Returns whether it is.
  bool write(Neighbors& rows);

 private:
  void add(const Neighbors& lists, std::int64_t row, const Position& image, bool is_exact);

  const PeriodicRows& of_;
  std::int64_t query_, k_, available_;
  Placement::Place place_;
  std::vector<geometry::ExactNeighbor> candidates_;        ///< with d² by the definition; may be repeated
  double rest_ = std::numeric_limits<double>::infinity();  ///< no point that is not in a list has a smaller d²
};

}  // namespace kann::detail
