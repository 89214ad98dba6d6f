#include "problem/prepared_data.hpp"

#include <algorithm>
#include <variant>
#include <vector>

#include "geometry/box.hpp"
#include "problem/unevenness.hpp"
#include "problem/valid_points.hpp"

namespace kann::problem {
namespace {

/// The coordinates of a sample of the data, as they were read. All are in `box`, even if they have changed since that
/// was found.
std::vector<double> some_coordinates(const PointsView& data, const Array<std::int32_t>& rows, std::int64_t valid,
                                     const geometry::Box& box) {
  const std::int64_t size = geometry::sample_size(valid);
  const std::size_t axes = data.dimensions;
  std::vector<double> sample(size * axes);
  std::visit(
      [&](const auto& coordinates) {
        for (std::int64_t i = 0; i < size; ++i) {
          const std::int64_t place = geometry::sample_row(i, valid), row = rows.empty() ? place : rows[place];
          for (std::size_t a = 0; a < axes; ++a) {
            const double x = static_cast<double>(coordinates[row * axes + a]);
            sample[i * axes + a] = x >= box.lo[a] && x <= box.hi[a] ? x : box.lo[a];
          }
        }
      },
      data.coordinates);
  return sample;
}

/// Returns `points` after checking their number, which must precede the survey.
const PointsView& checked(const PointsView& points, const std::string& name) {
  check_count(points, name);
  return points;
}

}  // namespace

void SurveyedData::choose_frame_and_grid(const std::vector<double>& sample) {
  const FrameGrid chosen = choose_frame_grid(survey, sample, dimensions);
  frame = chosen.frame;
  grid = chosen.grid;
  box = frame.apply(survey.box, dimensions);
}

PreparedData::PreparedData(const PointsView& given, const std::string& data_name, InvalidPoints invalid, int threads)
    : SurveyedData{given.dimensions, data_name, checked_survey(checked(given, data_name), data_name, invalid, threads)},
      points(given),
      rows(valid_rows(points, survey)) {
  choose_frame_and_grid(some_coordinates(points, rows, count(), survey.box));
  in_frame_ = to_frame(points, rows, count(), frame, threads, storage_);
}

double PreparedData::unevenness() const {
  const std::lock_guard lock(mutex_);
  if (!unevenness_)
    unevenness_ = problem::unevenness(survey.box, some_coordinates(points, rows, count(), survey.box),
                                      points.dimensions, count());
  return *unevenness_;
}

const double* PreparedData::as_float64(int threads) const {
  const std::lock_guard lock(mutex_);
  if (!float64_) float64_ = to_float64(points, rows, count(), threads, float64_storage_);
  return float64_;
}

}  // namespace kann::problem
