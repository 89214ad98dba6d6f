// A cloud that need not fit in memory, with the attributes of its points.
#pragma once

#include <cstdint>

#include "kann/io.hpp"

#include "tiles/point_source.hpp"

namespace kann::tiles {

class CloudSource : public PointSource {
 public:
  /// What read() gives for no rows: names and types of the attributes, and what ReadOptions have asked for.
  virtual const Cloud& described() const = 0;

  /// Points `first` to `first + count − 1`, with their attributes. Blocks. @throws Error bad_input, resources.
  virtual Cloud read(std::int64_t first, std::int64_t count) const = 0;

  /// This rank's share of coordinates_hash(), once its points have been read in their order.
  virtual std::uint64_t hash() const = 0;
};

/// Bytes of memory of a point with its attributes.
inline double bytes_per_point(const CloudSource& cloud) {
  double bytes = cloud.dimensions() * (cloud.is_float64() ? 8.0 : 4.0);
  for (const Attribute& attribute : cloud.described().attributes)
    bytes += std::visit([](const auto& v) { return static_cast<double>(sizeof v[0]); }, attribute.values);
  if (cloud.described().las) bytes += static_cast<double>(cloud.described().las->record_bytes);
  return bytes;
}

}  // namespace kann::tiles
