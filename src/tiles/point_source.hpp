// A cloud that need not fit in memory: its points come in blocks, as often as asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "kann/points.hpp"

namespace kann::tiles {

class PointSource {
 public:
  using Block = std::function<void(std::int64_t row, const PointsView&)>;

  virtual ~PointSource() = default;

  virtual const std::string& name() const = 0;  ///< in messages
  virtual int dimensions() const = 0;
  virtual bool is_float64() const = 0;
  virtual std::int64_t size() const = 0;  ///< points, with those that are not finite

  /// Calls f(row, points) for the points from number `begin` to before `end`, in blocks of `most` of them, the last of
  /// which may be smaller, in their order; `row` is the number of a block's first. Blocks.
  /// @throws Error bad_input, resources, and what f throws.
  virtual void for_each_block(std::int64_t begin, std::int64_t end, std::int64_t most, const Block& f) const = 0;
};

}  // namespace kann::tiles
