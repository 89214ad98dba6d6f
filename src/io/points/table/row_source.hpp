// A cloud in a file, any range of which can be read, so that it need not fit in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kann/points.hpp"

namespace kann::io {

class RowSource {
 public:
  virtual ~RowSource() = default;

  virtual int dimensions() const = 0;
  virtual bool is_float64() const = 0;
  virtual std::int64_t size() const = 0;

  /// Points `first` to `first + count − 1`, as read_points() reads them; blocks.
  /// @throws Error bad_input (read error, the file shrank or changed), resources.
  virtual Points read(std::int64_t first, std::int64_t count) const = 0;
};

/// What looking at a file has found.
struct RowCloud {
  std::unique_ptr<RowSource> rows = {};   ///< none: the points must be read as a whole
  std::string obstacle = {};              ///< if none: what prevents reading in ranges ("compressed data")
  std::vector<std::string> columns = {};  ///< as in Cloud, like the warnings
  std::vector<std::string> warnings = {};
};

}  // namespace kann::io
