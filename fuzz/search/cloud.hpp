// Random clouds that are hard for neighbour searches, of float32 or float64 coordinates.
#pragma once

#include <cstdint>
#include <vector>

#include "kann/points.hpp"

#include "clouds.hpp"

namespace kann::fuzz {

using test::Random;

/// Coordinates as doubles, row-major; those of a float32 cloud are float32 values.
struct FuzzCloud {
  int dimensions = 3;
  bool is_float64 = false;
  std::vector<double> coordinates;
  std::vector<std::int64_t> labels = {};  ///< the group of each point; empty: there are no groups

  std::int64_t size() const { return static_cast<std::int64_t>(coordinates.size()) / dimensions; }
  const double* point(std::int64_t i) const { return coordinates.data() + i * dimensions; }
};

/// Appends a point, with its coordinates rounded to the cloud's type and limited to its range.
void append(FuzzCloud& cloud, const std::vector<double>& coordinates, std::int64_t label = 0);

/// The rows [begin, end), and all others.
FuzzCloud rows_of(const FuzzCloud& cloud, std::int64_t begin, std::int64_t end);
FuzzCloud without_rows(const FuzzCloud& cloud, std::int64_t begin, std::int64_t end);

/// Puts the points into `count` groups of uneven sizes; one of eleven points is in none.
void divide_into_groups(Random& random, FuzzCloud& cloud, std::int64_t count);

/// Makes longitudes and latitudes in degrees of the coordinates, which may be any.
void move_to_sky(FuzzCloud& cloud);

/// The number of clouds that have a name in tests/clouds.hpp and tests/float64_clouds.hpp.
std::uint64_t named_clouds();

/// The cloud of a number below that.
FuzzCloud named_cloud(std::uint64_t number, std::int64_t n, int dimensions, std::uint64_t seed);

Points to_points(const FuzzCloud& cloud);

/// `n` points of a random kind: uniform, clusters, duplicates, lattices, lines, slabs, outliers, two far sites, many
/// scales, near-ties, crowded cells, map coordinates, sizes from 10⁻¹⁷⁰ to 10¹⁵², points that float32 cannot tell
/// apart.
FuzzCloud random_cloud(Random& random, std::int64_t n, int dimensions, bool is_float64);

/// `n` queries for `data`: a cloud of its own, or points near those of the data, down to one unit in the last place, or
/// midway between two of them.
FuzzCloud random_queries(Random& random, const FuzzCloud& data, std::int64_t n, bool is_float64);

}  // namespace kann::fuzz
