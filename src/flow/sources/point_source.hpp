// Clouds that need not fit in memory: their points come in blocks, as often as asked for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>

#include "kann/io.hpp"
#include "kann/points.hpp"

namespace kann::flow {

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

  /// Bytes of memory that for_each_block() takes with blocks of `most` points.
  virtual double block_bytes(std::int64_t most) const {
    return static_cast<double>(std::min(most, size())) * coordinate_bytes();
  }

  /// Bytes of the coordinates of a point.
  double coordinate_bytes() const { return dimensions() * (is_float64() ? 8.0 : 4.0); }
};

/// A cloud that has attributes, too.
class CloudSource : public PointSource {
 public:
  /// What read() gives for no rows: names and types of the attributes, and what ReadOptions have asked for.
  virtual const Cloud& described() const = 0;

  /// Points `first` to `first + count − 1`, with their attributes. Blocks. @throws Error bad_input, resources.
  virtual Cloud read(std::int64_t first, std::int64_t count) const = 0;

  /// Bytes of memory that read() takes beside what it returns.
  virtual double buffer_bytes() const { return 0; }

  /// This rank's share of coordinates_hash(), once its points have been read in their order.
  virtual std::uint64_t hash() const = 0;
};

/// Bytes of memory of a point with its attributes.
inline double bytes_per_point(const CloudSource& cloud) {
  double bytes = cloud.coordinate_bytes();
  double row_bytes = 0;
  for (const Attribute& attribute : cloud.described().attributes) {
    bytes += std::visit([](const auto& v) { return static_cast<double>(sizeof v[0]); }, attribute.values);
    if (attribute.texts) row_bytes = std::max(row_bytes, attribute.texts->row_bytes);
  }
  bytes += row_bytes;
  if (cloud.described().las) bytes += static_cast<double>(cloud.described().las->record_bytes);
  return bytes;
}

/// Bytes of memory of the different texts of a cloud's attributes, which stay as long as the cloud.
inline double text_bytes(const CloudSource& cloud) {
  constexpr double each = 64;  // what finds a text again
  double bytes = 0;
  for (const Attribute& attribute : cloud.described().attributes)
    if (attribute.texts)
      bytes +=
          each * static_cast<double>(attribute.texts->count) + static_cast<double>(attribute.texts->bytes.capacity());
  return bytes;
}

/// How many points with their attributes are read at a time where a part of a cloud is looked for: 4 MB.
inline std::int64_t points_at_once(double bytes_per_point) {
  return static_cast<std::int64_t>(std::max(1.0, 4e6 / bytes_per_point));
}

}  // namespace kann::flow
