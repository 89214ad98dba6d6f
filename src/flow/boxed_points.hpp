// A cloud in a periodic box, as tiles have it for searches within a radius.
#pragma once

#include "base/threads/parallel.hpp"
#include "flow/ranks/communicator.hpp"
#include "flow/routes/ball_queries.hpp"
#include "flow/routes/file_search_options.hpp"
#include "flow/sources/placed_source.hpp"
#include "flow/sources/survey.hpp"
#include "search/periodic/images.hpp"
#include "search/periodic/periodic_box.hpp"
#include "search/periodic/placement.hpp"

namespace kann::flow {

/// The points are moved into the box, in float64; queries have images.
class BoxedPoints {
 public:
  /// Reads the cloud once. All ranks call it; it blocks. The arguments must outlive this object.
  BoxedPoints(const PointSource& data, const FileSearchOptions& options, Communicator& ranks)
      : of_data_(survey(data, options.sizes.read_points, base::thread_count(options.search.threads), ranks)),
        box_(options.search.periodic),
        placement_(box_, of_data_.box),
        extent_(placed_box(box_, placement_.of_data(), of_data_.box)),
        points_(data, data.dimensions(), mover(placement_.of_data(), base::thread_count(options.search.threads)),
                options.memory) {}
  BoxedPoints(const BoxedPoints&) = delete;
  BoxedPoints& operator=(const BoxedPoints&) = delete;

  const PlacedSource& points() const { return points_; }
  const detail::PeriodicBox& box() const { return box_; }
  const detail::Placement& placement() const { return placement_; }

  /// The ball with the images of queries. It refers to this object.
  Ball with_images(Ball ball) const {
    ball.append_images = [this, sq_bound = ball.sq_bound](const Coordinates& query, Array<double>& images) {
      if (of_data_.valid > 0) detail::append_images(box_, extent_, query, sq_bound, images);
    };
    return ball;
  }

 private:
  const problem::Survey of_data_;
  const detail::PeriodicBox box_;
  const detail::Placement placement_;
  const geometry::Box extent_;
  const PlacedSource points_;
};

}  // namespace kann::flow
