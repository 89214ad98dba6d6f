#include "kann/vectors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "kann/error.hpp"

#include "base/threads/parallel.hpp"
#include "geometry/distance.hpp"
#include "products/attributes/differences.hpp"
#include "products/attributes/row_ids.hpp"

namespace kann {
namespace {

/// `each` numbers for each of so many places, if they are wanted.
template <class T>
Array<T> filled(bool is_wanted, std::size_t places, std::size_t each, T value) {
  Array<T> all(is_wanted ? places * each : 0);
  std::ranges::fill(all, value);
  return all;
}

std::int32_t checked_shift(double shift, std::int64_t row) {
  if (!(std::abs(shift) <= std::numeric_limits<std::int32_t>::max()))
    throw Error(ErrorKind::bad_input, "vectors: row " + std::to_string(row) +
                                          ": an image is more than 2^31 vectors of the box away; "
                                          "move the points into it");
  return static_cast<std::int32_t>(shift);
}

}  // namespace

NeighborVectors neighbor_vectors(const PointsView& given_data, const PointsView& given_queries, const Rows& rows,
                                 const VectorOptions& options) {
  attributes::check_box(options.periodic, options.images, given_data.dimensions, "vectors");
  if (options.sky && (options.vectors || options.shifts || !options.periodic.empty()))
    throw Error(ErrorKind::usage, "vectors: there are only distances on the sphere");
  const auto on_unit_sphere = [&](const PointsView& points, const char* name) {
    return options.sky ? on_sphere(points, name, options.threads) : Points();
  };
  const Points sphere_data = on_unit_sphere(given_data, "data"),
               sphere_queries = on_unit_sphere(given_queries, "queries");
  const PointsView data = options.sky ? PointsView(sphere_data) : given_data,
                   queries = options.sky ? PointsView(sphere_queries) : given_queries;
  if (rows.count != queries.size()) throw Error(ErrorKind::bad_input, "vectors: not a row for each query");
  const int threads = base::thread_count(options.threads);
  const std::span<const std::int32_t> ids = attributes::checked_ids(rows, data.size(), threads, "vectors");
  const auto d = static_cast<std::size_t>(data.dimensions);
  NeighborVectors made{.distances = filled(options.distances, ids.size(), 1, std::numeric_limits<double>::infinity()),
                       .vectors = filled(options.vectors, ids.size(), d, std::numeric_limits<double>::quiet_NaN()),
                       .shifts = filled(options.shifts && !options.periodic.empty(), ids.size(), d, std::int32_t{0})};
  constexpr std::int64_t grain = 256;
  base::parallel_chunks(rows.count, grain, threads, [&](std::int64_t first, std::int64_t last) {
    attributes::Differences differences(data, queries, options.periodic, options.shifts ? Images::all : options.images,
                                        "vectors");
    for (std::int64_t query = first; query < last; ++query) {
      const auto [begin, end] = rows.row(query);
      differences.set_row(query, ids.subspan(begin, end - begin), rows.distances.subspan(begin, end - begin),
                          options.half_of.empty() ? -1 : options.half_of[static_cast<std::size_t>(query)]);
      for (std::size_t i = begin; i < end; ++i) {
        const std::array<double, 3> to = differences.to(i - begin);
        const double sq_dist = geometry::sq_distance_3d(to[0], to[1], to[2]);
        if (options.distances)
          made.distances[i] = options.sky ? sphere_distance(sq_dist, *options.sky) : std::sqrt(sq_dist);
        for (std::size_t a = 0; a < d && options.vectors; ++a) made.vectors[i * d + a] = to[a];
        for (std::size_t a = 0; a < d && !made.shifts.empty(); ++a)
          made.shifts[i * d + a] = checked_shift(differences.shift(i - begin)[a], rows.first + query);
      }
    }
  });
  return made;
}

}  // namespace kann
