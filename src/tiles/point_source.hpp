// A cloud that need not fit in memory: its points come in blocks, as often as asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "kann/points.hpp"

namespace kann::tiles {

class PointSource {
 public:
  virtual ~PointSource() = default;

  virtual const std::string& name() const = 0;  ///< in messages
  virtual int dimensions() const = 0;
  virtual bool is_float64() const = 0;
  virtual std::int64_t size() const = 0;  ///< points, with those that are not finite

  /// Calls f(row, points) for blocks of at most `most` points whose first is number `row`, in the order of the rows.
  /// Blocks. @throws Error bad_input, resources, and what f throws.
  virtual void for_each_block(std::int64_t most,
                              const std::function<void(std::int64_t row, const PointsView&)>& f) const = 0;
};

}  // namespace kann::tiles
