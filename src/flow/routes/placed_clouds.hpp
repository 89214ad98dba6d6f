// Both clouds of a search in tiles where they are searched: as given, on the unit sphere, or in a periodic box.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kann/array.hpp"

#include "base/memory_budget.hpp"
#include "flow/ranks/communicator.hpp"
#include "flow/routes/file_search_options.hpp"
#include "flow/sources/point_source.hpp"
#include "geometry/box.hpp"
#include "geometry/periodic_box.hpp"
#include "search/periodic/images.hpp"

namespace kann::flow {

/// A cloud that was moved into a periodic box, or to the unit sphere: in float64, which holds all that becomes of the
/// points.
class PlacedSource : public PointSource {
 public:
  /// Writes where `points` are, the first of which has the number `row`, to `out`. @throws Error bad_input.
  using Place = std::function<void(std::int64_t row, const PointsView& points, std::span<double> out)>;

  /// `given` outlives this.
  PlacedSource(const PointSource& given, int dimensions, Place place, base::MemoryBudget* memory)
      : given_(given), dimensions_(dimensions), place_(std::move(place)), memory_(memory) {}

  const std::string& name() const override { return given_.name(); }
  int dimensions() const override { return dimensions_; }
  bool is_float64() const override { return true; }
  std::int64_t size() const override { return given_.size(); }
  void for_each_block(std::int64_t begin, std::int64_t end, std::int64_t most, const Block& f) const override {
    const base::MemoryCharge charge(memory_, placed_bytes(std::min(most, end - begin)));
    Array<double> placed;
    given_.for_each_block(begin, end, most, [&](std::int64_t row, const PointsView& points) {
      placed.resize(static_cast<std::size_t>(points.size() * dimensions_));
      place_(row, points, placed);
      f(row, {dimensions_, std::span<const double>(placed)});
    });
  }

  double block_bytes(std::int64_t most) const override { return given_.block_bytes(most) + placed_bytes(most); }

 private:
  double placed_bytes(std::int64_t most) const { return PointSource::block_bytes(most); }

  const PointSource& given_;
  const int dimensions_;
  const Place place_;
  base::MemoryBudget* const memory_;
};

/// The images of queries in a periodic box.
struct Images {
  detail::ImageRule rule;
  geometry::Box extent;   ///< around all of the data
  bool has_data = false;  ///< whether a data point is valid

  /// Appends those from which a data point may be within the bound. Returns how many there are.
  std::int64_t append(const detail::Position& query, double sq_bound, std::vector<detail::Position>& out) const {
    const auto before = std::ssize(out);
    if (has_data)
      detail::for_each_image(rule.near(extent), query, sq_bound,
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
