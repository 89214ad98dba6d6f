// A cloud as a search has it whose distances are not those of the coordinates as given: moved into a periodic box, or
// to the unit sphere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "kann/array.hpp"

#include "base/memory_budget.hpp"
#include "flow/sources/point_source.hpp"

namespace kann::flow {

/// In float64, which holds all that becomes of the points.
class PlacedSource : public PointSource {
 public:
  /// Writes where `points` are, the first of which has the number `row`, to `out`. @throws Error bad_input.
  using Place = std::function<void(std::int64_t row, const PointsView& points, std::span<double> out)>;

  /// `given` outlives this.
  PlacedSource(const PointSource& given, int dimensions, Place place, base::MemoryBudget* memory)
      : given_(given), dimensions_(dimensions), place_(std::move(place)), memory_(memory) {}

  const std::string& name() const override { return given_.name(); }
  int dimensions() const override { return dimensions_; }
  bool is_float64() const override { return true; }
  std::int64_t size() const override { return given_.size(); }
  void for_each_block(std::int64_t begin, std::int64_t end, std::int64_t most, const Block& f) const override {
    const base::MemoryCharge charge(memory_, placed_bytes(std::min(most, end - begin)));
    Array<double> placed;
    given_.for_each_block(begin, end, most, [&](std::int64_t row, const PointsView& points) {
      placed.resize(static_cast<std::size_t>(points.size() * dimensions_));
      place_(row, points, placed);
      f(row, {dimensions_, std::span<const double>(placed)});
    });
  }

  double block_bytes(std::int64_t most) const override { return given_.block_bytes(most) + placed_bytes(most); }

 private:
  double placed_bytes(std::int64_t most) const { return PointSource::block_bytes(most); }

  const PointSource& given_;
  const int dimensions_;
  const Place place_;
  base::MemoryBudget* const memory_;
};

}  // namespace kann::flow
