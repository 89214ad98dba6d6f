#include "flow/sources/same_clouds.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <vector>

#include "kann/error.hpp"

namespace kann::flow {
namespace {

/// What a rank sees of a cloud, to tell it from another.
struct Seen {
  std::int64_t points;
  std::uint64_t hash;  ///< over points from places all over the cloud

  bool operator==(const Seen&) const = default;
};

Seen look_at(const PointSource& cloud) {
  constexpr std::int64_t most = 64;
  Seen seen{cloud.size(), 0};
  const auto add = [&](std::int64_t, const PointsView& points) {
    for (std::int64_t i = 0; i < points.size(); ++i)
      for (int a = 0; a < points.dimensions; ++a)
        seen.hash = (seen.hash ^ std::bit_cast<std::uint64_t>(points.at(i, a))) * 0x100000001b3;
  };
  constexpr std::int64_t places = 256;
  for (std::int64_t i = 0; i <= places; ++i) {
    const std::int64_t first = std::max<std::int64_t>(0, cloud.size() - most) / places * i;
    cloud.for_each_block(first, std::min(cloud.size(), first + most), most, add);
  }
  return seen;
}

}  // namespace

void check_same(const PointSource& cloud, Communicator& ranks) {
  if (ranks.is_alone()) return;
  const std::vector<Seen> seen = ranks.gather_value(look_at(cloud));
  for (std::size_t r = 1; r < seen.size(); ++r)
    if (seen[r] != seen[0])
      throw Error(ErrorKind::bad_input, fmt::format("{}: rank {} sees another file than rank 0 ({} points, and {})",
                                                    cloud.name(), r, seen[r].points, seen[0].points));
}

}  // namespace kann::flow
