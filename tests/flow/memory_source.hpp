// A cloud in memory that comes in blocks, as that of a file does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "clouds.hpp"
#include "float64_clouds.hpp"
#include "flow/sources/point_source.hpp"

namespace kann::test {

class MemorySource : public flow::PointSource {
 public:
  explicit MemorySource(Points points) : points_(std::move(points)) {}
  MemorySource(int dimensions, const Coordinates& c) : MemorySource(to_points(c, dimensions)) {}
  MemorySource(int dimensions, const Doubles& c) : MemorySource(to_points(c, dimensions)) {}

  const std::string& name() const override { return name_; }
  int dimensions() const override { return points_.dimensions; }
  bool is_float64() const override { return std::holds_alternative<Array<double>>(points_.coordinates); }
  std::int64_t size() const override { return points_.size(); }
  void for_each_block(std::int64_t begin, std::int64_t end, std::int64_t most, const Block& f) const override {
    most = std::min<std::int64_t>(most, 1000);
    for (std::int64_t row = begin; row < end; row += most) f(row, view().part(row, std::min(row + most, end)));
  }
  const Points& points() const { return points_; }
  PointsView view() const { return points_; }

 private:
  std::string name_ = "cloud";
  Points points_;
};

}  // namespace kann::test
