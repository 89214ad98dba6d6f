// Clouds whose points have a fixed number of bytes, read a part at a time: what does not fit in memory is read as often
// as it is needed.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kann/io.hpp"
#include "kann/points.hpp"

#include "io/files/input.hpp"
#include "io/points/table/fixed_rows.hpp"

namespace kann::io {

/// Where such a file has its points.
struct RowLayout {
  FixedRows rows;
  std::vector<RowAxis> axes;
  std::array<double, 3> scale{1, 1, 1}, offset{};  ///< of LAS: a coordinate is scale · integer + offset
  bool is_scaled = false;
  std::vector<std::string> columns = {};  ///< those of Cloud
};

class CloudRows {
 public:
  /// Opens a file. Nothing where points vary in size (text, lists, compressed data), and where the file is no regular
  /// one. @throws Error as read_points().
  static std::optional<CloudRows> open(const std::string& path, const ReadOptions& options);

  const std::string& name() const { return input_->name(); }
  int dimensions() const { return static_cast<int>(layout_.axes.size()); }
  bool is_float64() const;
  std::int64_t size() const { return static_cast<std::int64_t>(layout_.rows.rows); }
  const std::vector<std::string>& columns() const { return layout_.columns; }

  /// Points `first` to `first + count − 1`, as read_points() reads them; blocks.
  /// @throws Error bad_input (read error, the file shrank), resources.
  Points read(std::int64_t first, std::int64_t count) const;

 private:
  CloudRows(std::unique_ptr<Input> input, RowLayout layout, int threads)
      : input_(std::move(input)), layout_(std::move(layout)), threads_(threads) {}

  std::unique_ptr<Input> input_;
  RowLayout layout_;
  int threads_;
};

}  // namespace kann::io
