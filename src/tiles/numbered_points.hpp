// Some points of a cloud, which need not follow each other there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kann/array.hpp"
#include "kann/neighbors.hpp"
#include "kann/points.hpp"

#include "tiles/curve.hpp"

namespace kann::tiles {

/// Points with the numbers of their rows.
template <class T>
struct NumberedPoints {
  int dimensions;
  Array<std::int64_t> rows;
  Array<T> coordinates;

  PointsView view() const { return {dimensions, std::span<const T>(coordinates.data(), coordinates.size())}; }
  std::int64_t size() const { return static_cast<std::int64_t>(rows.size()); }
  std::span<const T> at(std::int64_t i) const {
    return std::span(coordinates.data(), coordinates.size())
        .subspan(static_cast<std::size_t>(i * dimensions), static_cast<std::size_t>(dimensions));
  }
  Coordinates point(std::int64_t i) const {
    Coordinates out{};
    std::ranges::copy(at(i), out.begin());
    return out;
  }
};

/// Queries with what was found for them.
template <class T>
struct FoundRows {
  NumberedPoints<T> queries;
  Neighbors found;
};

/// Those that are not `left_out`, not 0.
template <class T>
FoundRows<T> rest_of(const NumberedPoints<T>& queries, const Neighbors& found, std::span<const std::uint8_t> left_out) {
  FoundRows<T> rest{{queries.dimensions, {}, {}}, {0, found.k, {}, {}}};
  const auto k = static_cast<std::ptrdiff_t>(found.k);
  for (std::int64_t i = 0; i < queries.size(); ++i) {
    if (left_out[static_cast<std::size_t>(i)]) continue;
    const std::span<const T> point = queries.at(i);
    const auto ids = found.ids.begin() + i * k;
    const auto distances = found.distances.begin() + i * k;
    rest.queries.rows.push_back(queries.rows[static_cast<std::size_t>(i)]);
    rest.queries.coordinates.insert(rest.queries.coordinates.end(), point.begin(), point.end());
    rest.found.ids.insert(rest.found.ids.end(), ids, ids + k);
    rest.found.distances.insert(rest.found.distances.end(), distances, distances + k);
    ++rest.found.queries;
  }
  return rest;
}

}  // namespace kann::tiles
