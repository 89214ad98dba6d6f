// Both clouds of a search in tiles where they are searched: as given, on the unit sphere, or in a periodic box.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flow/ranks/communicator.hpp"
#include "flow/routes/file_search_options.hpp"
#include "flow/sources/placed_source.hpp"
#include "flow/sources/point_source.hpp"
#include "geometry/box.hpp"
#include "geometry/periodic_box.hpp"
#include "search/periodic/images.hpp"

namespace kann::flow {

/// The images of queries in a periodic box.
struct Images {
  detail::ImageRule rule;
  geometry::Box extent;   ///< around all of the data
  bool has_data = false;  ///< whether a data point is valid

  /// Appends those from which a data point may be within the bound. Returns how many there are.
  std::int64_t append(const detail::Position& query, double sq_bound, std::vector<detail::Position>& out) const {
    const auto before = std::ssize(out);
    if (has_data)
      detail::for_each_image(geometry::NearImages(rule.box, extent, rule.only_nearest), query, sq_bound,
                             [&](const detail::Position& image) { out.push_back(image); });
    return std::ssize(out) - before;
  }
};

class PlacedClouds {
 public:
  /// In a periodic box, reads the data once, and all ranks call it. Blocks. The arguments must outlive this object.
  /// @param queries null: the data are the queries
  /// @throws Error bad_input.
  PlacedClouds(const PointSource& data, const PointSource* queries, const FileSearchOptions& given,
               Communicator& ranks);
  PlacedClouds(const PlacedClouds&) = delete;
  PlacedClouds& operator=(const PlacedClouds&) = delete;

  const PointSource& data() const { return data_ ? *data_ : given_data_; }
  const PointSource* queries() const { return queries_ ? &*queries_ : given_queries_; }  ///< null: the data
  const std::string& query_name() const { return (queries() ? *queries() : data()).name(); }

  /// Whether only float64 holds the points of both.
  bool are_float64() const { return data().is_float64() || (queries() && queries()->is_float64()); }

  /// Those of a search among the placed points, which knows of no sphere and of no box.
  const FileSearchOptions& options() const { return options_; }

  const Images* images() const { return images_ ? &*images_ : nullptr; }  ///< null: there is no periodic box
  double seconds() const { return seconds_; }                             ///< of the constructor
  double far_distance() const { return far_; }                            ///< detail::far_distance() of the search

 private:
  void place_on_sphere();
  void place_in_box(Communicator& ranks);

  const PointSource& given_data_;
  const PointSource* const given_queries_;
  FileSearchOptions options_;
  std::optional<PlacedSource> data_, queries_;
  std::optional<Images> images_;
  double seconds_ = 0;
  const double far_;
};

}  // namespace kann::flow
