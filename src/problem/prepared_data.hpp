// The data of a search, prepared: checked, in their frame, with their grid. Prepared once, for any number of searches.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kann/array.hpp"
#include "kann/points.hpp"
#include "kann/search.hpp"

#include "geometry/grid.hpp"
#include "problem/frame.hpp"
#include "problem/survey.hpp"

namespace kann::problem {

/// What a search must know of its data besides their coordinates, which may be in the memory of a device.
struct SurveyedData {
  int dimensions = 3;
  std::string name;  ///< in messages
  Survey survey{};
  Frame frame{};
  geometry::Grid grid{};
  geometry::Box box{};  ///< around the valid points, in the frame

  std::int64_t count() const { return survey.valid; }

  /// Whether a search needs the coordinates as they were given, beside those in the frame.
  bool needs_given(bool are_queries_exact) const { return !frame.is_identity() || !survey.exact || !are_queries_exact; }

  /// Sets `frame`, `grid` and `box`. @param sample row-major coordinates, as given, of the valid points at
  /// geometry::sample_row()
  void choose_frame_and_grid(const std::vector<double>& sample);
};

class PreparedData : public SurveyedData {
 public:
  /// Checks the data and brings them to their frame. Keeps the view, whose memory must outlive this object. Blocks.
  /// @param data_name the name of the data in messages
  /// @throws Error usage (too many points), bad_input (invalid points, dimensions), std::bad_alloc.
  PreparedData(const PointsView& given, const std::string& data_name, InvalidPoints invalid, int threads);
  PreparedData(const PreparedData&) = delete;
  PreparedData& operator=(const PreparedData&) = delete;

  const float* in_frame() const { return in_frame_; }

  /// The coordinates of the valid points as float64s. May be called from any thread; the first call may block.
  const double* as_float64(int threads) const;

  /// The problem::unevenness() of the valid points; computed by the first call, as only GPUs need it. May be called
  /// from any thread.
  double unevenness() const;

  const PointsView points;
  const Array<std::int32_t> rows;  ///< row of each valid point; empty: none was skipped

 private:
  Array<float> storage_;
  const float* in_frame_ = nullptr;
  mutable std::mutex mutex_;  // guards the next three members
  mutable std::optional<double> unevenness_;
  mutable Array<double> float64_storage_;
  mutable const double* float64_ = nullptr;
};

}  // namespace kann::problem
