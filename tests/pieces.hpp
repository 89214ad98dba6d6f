// A row must depend on its query, the data and the options alone: the queries are searched in pieces, with other points
// beside them, and every row must have the bytes that it has when all are searched at once.
#pragma once

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kann/search.hpp"

#include "clouds.hpp"
#include "problems.hpp"

namespace kann::test {

/// Rows of a cloud, in the type of its coordinates.
inline Points rows_of(const Points& points, const std::vector<std::int64_t>& rows) {
  Points some{points.dimensions, {}};
  std::visit(
      [&](const auto& c) {
        std::decay_t<decltype(c)> picked;
        for (const std::int64_t row : rows)
          picked.insert(picked.end(), c.begin() + row * points.dimensions, c.begin() + (row + 1) * points.dimensions);
        some.coordinates = picked;
      },
      points.coordinates);
  return some;
}

/// What else is in a piece; `float64` makes its coordinates float64 by a point that no float32 is.
enum class Beside { nothing, far_point, float64, invalid_point };

/// Appends that point.
inline void add(Beside beside, Points& points) {
  if (beside == Beside::nothing) return;
  Array<double> c;
  for (std::int64_t i = 0; i < points.size(); ++i)
    for (int a = 0; a < points.dimensions; ++a) c.push_back(points.at(i, a));
  const double x = beside == Beside::far_point ? -1e25 : beside == Beside::float64 ? 0.1 : NAN;
  c.insert(c.end(), static_cast<std::size_t>(points.dimensions), x);
  points.coordinates = c;
}

/// Ten ways to divide `n` rows into pieces.
inline std::vector<std::vector<std::vector<std::int64_t>>> divisions(std::int64_t n) {
  std::vector<std::vector<std::vector<std::int64_t>>> all;
  Random random(77);
  const auto divide = [&](std::int64_t pieces, auto piece_of) {
    auto& division = all.emplace_back(static_cast<std::size_t>(pieces));
    for (std::int64_t i = 0; i < n; ++i) division[static_cast<std::size_t>(piece_of(i))].push_back(i);
  };
  for (const std::int64_t pieces : {2, 3, 7, 10}) divide(pieces, [&](std::int64_t i) { return i * pieces / n; });
  for (const std::int64_t pieces : {2, 5, 32}) divide(pieces, [&](std::int64_t i) { return i % pieces; });
  for (const std::int64_t pieces : {2, 4})
    divide(pieces, [&](std::int64_t) { return static_cast<int>(random.below(pieces)); });
  divide(2, [](std::int64_t i) { return i == 0 ? 0 : 1; });
  return all;
}

inline void expect_rows_of_pieces(const Points& data, const Points& queries, SearchOptions options) {
  options.invalid = InvalidPoints::skip;
  const Neighbors whole = search(data, queries, options).neighbors;
  int way = 0;
  for (const auto& division : divisions(queries.size()))
    for (const auto& rows : division) {
      const auto beside = static_cast<Beside>(way++ % 4);
      Points piece = rows_of(queries, rows);
      add(beside, piece);
      const Neighbors got = search(data, piece, options).neighbors;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t bytes = static_cast<std::size_t>(whole.k) * sizeof(float);
        const auto same = [&](const auto& some, const auto& all) {
          return std::memcmp(some.data() + static_cast<std::int64_t>(i) * whole.k, all.data() + rows[i] * whole.k,
                             bytes) == 0;
        };
        EXPECT_TRUE(same(got.ids, whole.ids) && same(got.distances, whole.distances))
            << "row " << rows[i] << " of a piece of " << rows.size() << ", beside " << static_cast<int>(beside);
      }
    }
}

/// For every cloud, both methods, float32 and float64 data.
inline void expect_rows_of_pieces(const SearchOptions& on_device) {
  for (const auto& kind : all_clouds())
    for (const int d : {2, 3})
      for (const bool is_float64 : {false, true})
        for (const Method method : {Method::shifted_sort, Method::exact}) {
          Points data = to_points(kind.make(400, d, 71), d);
          if (is_float64) {
            Array<double> c;
            for (const float x : std::get<Array<float>>(data.coordinates)) c.push_back(1e6 + x / 3.0);
            data.coordinates = c;
          }
          SearchOptions options = on_device;
          options.k = 5;
          options.method = method;
          SCOPED_TRACE(kind.name + " " + std::to_string(d) + "-D" + (is_float64 ? ", float64" : "") +
                       (method == Method::exact ? ", exact" : ", shifted sort"));
          expect_rows_of_pieces(data, to_points(kind.make(64, d, 72), d), options);
          ASSERT_FALSE(testing::Test::HasFailure());
        }
}

}  // namespace kann::test
