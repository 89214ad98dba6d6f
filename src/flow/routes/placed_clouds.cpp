#include "flow/routes/placed_clouds.hpp"

#include <chrono>
#include <span>

#include "base/seconds_since.hpp"
#include "base/threads/parallel.hpp"
#include "flow/sources/survey.hpp"
#include "problem/sky.hpp"
#include "search/periodic/placement.hpp"
#include "search/sphere_distances.hpp"

namespace kann::flow {
namespace {

/// A box around all points of the data after they were placed. @param given the box around them before
geometry::Box placed_box(const detail::PeriodicBox& box, const detail::Places& places, geometry::Box given) {
  for (int a = 0; a < box.dimensions(); ++a) {
    if (places[static_cast<std::size_t>(a)].side == 0)
      continue;  // a point that leaves through a face comes in at the opposite one
    given.lo[a] = -box.side(a) / 2;
    given.hi[a] = box.side(a) / 2;
  }
  return given;
}

/// Moves points into a periodic box.
PlacedSource::Place mover(const detail::Places& places, int threads) {
  return [places, threads](std::int64_t, const PointsView& points, std::span<double> out) {
    const int d = points.dimensions;
    base::parallel_for(points.size(), threads, [&](std::int64_t i) {
      for (int a = 0; a < d; ++a)
        out[static_cast<std::size_t>(i * d + a)] = places[static_cast<std::size_t>(a)](points.at(i, a));
    });
  };
}

}  // namespace

PlacedClouds::PlacedClouds(const PointSource& data, const PointSource* queries, const FileSearchOptions& given,
                           Communicator& ranks)
    : given_data_(data), given_queries_(queries), options_(given) {
  if (given.search.sky) place_on_sphere();
  if (!given.search.periodic.empty()) place_in_box(ranks);
}

void PlacedClouds::place_on_sphere() {
  const int threads = base::thread_count(options_.search.threads);
  const auto place = [&](const PointSource& cloud, std::optional<PlacedSource>& placed) {
    problem::check_angles(cloud.dimensions(), cloud.name());
    placed.emplace(
        cloud, 3,
        [&cloud, threads](std::int64_t row, const PointsView& points, std::span<double> out) {
          problem::put_on_sphere(points, row, cloud.name(), threads, out);
        },
        options_.memory);
  };
  place(given_data_, data_);
  if (given_queries_) place(*given_queries_, queries_);
  options_.sky = options_.search.sky;
  options_.search = detail::options_of_vectors(options_.search);
}

void PlacedClouds::place_in_box(Communicator& ranks) {
  const auto start = std::chrono::steady_clock::now();
  const int threads = base::thread_count(options_.search.threads), d = given_data_.dimensions();
  const problem::Survey of_data = survey(given_data_, options_.sizes.read_points, threads, ranks);
  const detail::PeriodicBox box(options_.search.periodic);
  const detail::Placement placement(box, of_data.box);
  images_.emplace(Images{box, placed_box(box, placement.of_data(), of_data.box), of_data.valid > 0});
  data_.emplace(given_data_, d, mover(placement.of_data(), threads), options_.memory);
  if (given_queries_) queries_.emplace(*given_queries_, d, mover(placement.of_queries(), threads), options_.memory);
  options_.search.periodic.clear();
  seconds_ = base::seconds_since(start);
}

}  // namespace kann::flow
