// Some points of a cloud, each with its number there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "kann/array.hpp"
#include "kann/neighbors.hpp"
#include "kann/points.hpp"

#include "base/threads/parallel.hpp"
#include "flow/routes/curve.hpp"
#include "search/periodic/images.hpp"

namespace kann::flow {

/// Bytes of a point with its number, in memory and as a record.
inline double numbered_point_bytes(double coordinate_bytes) { return sizeof(std::int64_t) + coordinate_bytes; }

/// Points whose numbers need not follow each other.
template <class T>
struct NumberedPoints {
  int dimensions;
  Array<std::int64_t> numbers;
  Array<T> coordinates;

  PointsView view() const { return {dimensions, std::span<const T>(coordinates.data(), coordinates.size())}; }
  std::int64_t size() const { return static_cast<std::int64_t>(numbers.size()); }
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

/// Places of queries, each with the number of its query.
template <class T>
NumberedPoints<T> numbered(const detail::QueryPlaces& places, const NumberedPoints<T>& queries) {
  NumberedPoints<T> all{queries.dimensions, {}, Array<T>(places.positions.size())};
  for (std::size_t i = 0; i < places.queries.size(); ++i)
    all.numbers.resize(static_cast<std::size_t>(places.begins[i + 1]),
                       queries.numbers[static_cast<std::size_t>(places.queries[i])]);
  std::ranges::transform(places.positions, all.coordinates.begin(), [](double c) { return static_cast<T>(c); });
  return all;
}

/// Queries with what was found for them.
template <class T>
struct FoundRows {
  NumberedPoints<T> queries;
  Neighbors found;
};

/// The queries whose mark is 0, with their rows; by several threads. @param marks of the queries from place `begin` on
template <class T>
FoundRows<T> unmarked(const NumberedPoints<T>& queries, const Neighbors& found, std::int64_t begin,
                      std::span<const std::uint8_t> marks, int threads) {
  const std::int64_t count = std::ssize(marks);
  std::vector<std::int64_t> place(static_cast<std::size_t>(threads) + 1);  // where those of each thread go
  base::parallel_blocks(count, threads, [&](int block, std::int64_t first, std::int64_t end) {
    const auto some = marks.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first));
    place[static_cast<std::size_t>(block) + 1] = std::ranges::count(some, 0);
  });
  std::partial_sum(place.begin(), place.end(), place.begin());
  const auto n = static_cast<std::size_t>(place.back()), d = static_cast<std::size_t>(queries.dimensions);
  const auto k = static_cast<std::size_t>(found.k);
  FoundRows<T> rest{{queries.dimensions, Array<std::int64_t>(n), Array<T>(n * d)},
                    {place.back(), found.k, Array<std::int32_t>(n * k), Array<float>(n * k)}};
  base::parallel_blocks(count, threads, [&](int block, std::int64_t first, std::int64_t end) {
    auto to = static_cast<std::size_t>(place[static_cast<std::size_t>(block)]);
    for (auto at = static_cast<std::size_t>(first); at < static_cast<std::size_t>(end); ++at) {
      if (marks[at]) continue;
      const std::size_t i = static_cast<std::size_t>(begin) + at;
      rest.queries.numbers[to] = queries.numbers[i];
      std::copy_n(queries.coordinates.data() + i * d, d, rest.queries.coordinates.data() + to * d);
      std::copy_n(found.ids.data() + i * k, k, rest.found.ids.data() + to * k);
      std::copy_n(found.distances.data() + i * k, k, rest.found.distances.data() + to * k);
      ++to;
    }
  });
  return rest;
}

}  // namespace kann::flow
