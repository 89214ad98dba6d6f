#include "flow/routes/placed_clouds.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

#include "base/seconds_since.hpp"
#include "base/threads/parallel.hpp"
#include "flow/sources/survey.hpp"
#include "problem/sky.hpp"
#include "search/periodic/placement.hpp"
#include "search/sphere_distances.hpp"
#include "search/warnings.hpp"

namespace kann::flow {
namespace {

/// The same in a slanted box: along the directions of its heights, points are from 0 to these; what is perpendicular to
/// all of them stays.
geometry::Box slanted_box(const detail::PeriodicBox& box, const geometry::Box& given) {
  geometry::Box placed;
  for (std::size_t a = 0; a < 3; ++a) {
    double lo = 0, hi = 0, size = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const double along = box.repeats(i) ? box.direction(i)[a] * box.height(i) : 0;
      (along < 0 ? lo : hi) += along;
      size += box.height(i);
    }
    for (std::size_t b = 0; b < 3; ++b) {
      double stays = 0;
      for (std::size_t i = 0; i < 3; ++i)
        if (!box.repeats(i)) stays += box.direction(i)[a] * box.direction(i)[b];
      constexpr double rounded = 1e-12;
      if (std::abs(stays) < rounded) continue;
      lo += stays * (stays > 0 ? given.lo[b] : given.hi[b]);
      hi += stays * (stays > 0 ? given.hi[b] : given.lo[b]);
      size += std::max(std::abs(given.lo[b]), std::abs(given.hi[b]));
    }
    constexpr double margin = 1e-9;  // by far more than what is rounded
    placed.lo[a] = lo - margin * size;
    placed.hi[a] = hi + margin * size;
  }
  return placed;
}

/// A box around all points of the data after they were placed. @param given the box around them before
geometry::Box placed_box(const detail::PeriodicBox& box, const detail::Places& places, geometry::Box given) {
  for (std::size_t a = 0; a < 3 && !places.slanted; ++a) {
    if (places.axes[a].side == 0) continue;  // a point that leaves through a face comes in at the opposite one
    given.lo[a] = -box.height(a) / 2;
    given.hi[a] = box.height(a) / 2;
  }
  return places.slanted ? slanted_box(box, given) : given;
}

/// Moves points into a periodic box.
PlacedSource::Place mover(const detail::Places& places, int threads) {
  return [places, threads](std::int64_t, const PointsView& points, std::span<double> out) {
    const auto d = static_cast<std::size_t>(points.dimensions);
    base::parallel_for(points.size(), threads, [&](std::int64_t i) {
      std::copy_n(places(detail::position_of(points, i)).begin(), d,
                  out.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(i) * d));
    });
  };
}

}  // namespace

PlacedClouds::PlacedClouds(const PointSource& data, const PointSource* queries, const FileSearchOptions& given,
                           Communicator& ranks)
    : given_data_(data), given_queries_(queries), options_(given), far_(detail::far_distance(given.search)) {
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
  SearchOptions& search = options_.search;
  const detail::ImageRule rule(search, options_.sizes.listed > 0);
  const detail::Placement placement(rule.box, of_data.box);
  images_.emplace(Images{rule, placed_box(rule.box, placement.of_data(), of_data.box), of_data.valid > 0});
  data_.emplace(given_data_, d, mover(placement.of_data(), threads), options_.memory);
  if (given_queries_) queries_.emplace(*given_queries_, d, mover(placement.of_queries(), threads), options_.memory);
  search.periodic.clear();
  search.images = kann::Images::nearest;
  seconds_ = base::seconds_since(start);
}

}  // namespace kann::flow
