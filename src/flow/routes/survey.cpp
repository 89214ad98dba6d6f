#include "flow/routes/survey.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <variant>

#include "base/threads/parallel.hpp"
#include "flow/ranks/shares.hpp"
#include "flow/routes/tile_boxes.hpp"

namespace kann::flow {
namespace {

/// Points of the sample of a rank that has so many points.
std::int64_t sample_size(std::int64_t points, int ranks) {
  constexpr std::int64_t least = 1 << 12, most_of_all = 1 << 18;
  return std::clamp(points / 16, least, std::max(least, most_of_all / ranks));
}

/// What a rank, or a thread of it, has found.
struct Share {
  TileBox box;
  std::int64_t valid = 0, invalid = 0, first_invalid = -1;

  /// Adds what was found of later points.
  void add(const Share& other) {
    box.add(other.box);
    valid += other.valid;
    invalid += other.invalid;
    if (first_invalid < 0) first_invalid = other.first_invalid;
  }
};

/// Surveys points [begin, end) of a block whose first is number `row`, and takes those into the sample that are the
/// first finite ones from multiples of `stride` on.
template <class T>
Share look_at(std::span<const T> coordinates, std::size_t d, std::int64_t begin, std::int64_t end, std::int64_t row,
              std::int64_t stride, std::vector<double>& sample) {
  Share share;
  std::int64_t due = (row + begin + stride - 1) / stride * stride;
  for (std::int64_t i = begin; i < end; ++i) {
    Coordinates point{};
    bool is_finite = true;
    for (std::size_t a = 0; a < d; ++a) {
      point[a] = coordinates[static_cast<std::size_t>(i) * d + a];
      is_finite &= std::isfinite(point[a]);
    }
    if (!is_finite) {
      if (share.invalid++ == 0) share.first_invalid = row + i;
      continue;
    }
    ++share.valid;
    share.box.add(point);
    if (row + i < due) continue;
    sample.insert(sample.end(), point.begin(), point.begin() + static_cast<std::ptrdiff_t>(d));
    due = (row + i) / stride * stride + stride;
  }
  return share;
}

}  // namespace

double sample_bytes(double points, int dimensions, int ranks) {
  const auto sample = static_cast<double>(sample_size(static_cast<std::int64_t>(points), ranks));
  return sample * (1 + 2 * ranks) * dimensions * sizeof(double);
}

CloudSurvey survey(const PointSource& cloud, std::int64_t most, int threads, Communicator& ranks,
                   base::MemoryBudget* memory) {
  const auto d = static_cast<std::size_t>(cloud.dimensions());
  const std::int64_t begin = share_begin(cloud.size(), ranks.size(), ranks.rank());
  const std::int64_t end = share_begin(cloud.size(), ranks.size(), ranks.rank() + 1);
  const std::int64_t stride = (end - begin) / sample_size(end - begin, ranks.size()) + 1;
  const base::MemoryCharge charge(memory,
                                  sample_bytes(static_cast<double>(end - begin), cloud.dimensions(), ranks.size()));
  Share own;
  std::vector<double> sample;
  std::vector<Share> shares(static_cast<std::size_t>(threads));
  std::vector<std::vector<double>> samples(shares.size());
  cloud.for_each_block(begin, end, most, [&](std::int64_t row, const PointsView& points) {
    std::visit(
        [&](const auto coordinates) {
          base::parallel_blocks(points.size(), threads, [&](int block, std::int64_t first, std::int64_t last) {
            std::vector<double>& some = samples[static_cast<std::size_t>(block)];
            some.clear();
            shares[static_cast<std::size_t>(block)] = look_at(coordinates, d, first, last, row, stride, some);
          });
        },
        points.coordinates);
    for (std::size_t block = 0; block < shares.size(); ++block) {
      own.add(shares[block]);
      sample.insert(sample.end(), samples[block].begin(), samples[block].end());
    }
  });

  Share all;
  for (const Share& share : ranks.gather_value(own)) all.add(share);
  CloudSurvey found;
  found.valid = all.valid;
  found.invalid = all.invalid;
  found.first_invalid = all.first_invalid;
  if (found.valid > 0) found.box = {all.box.low, all.box.high};
  found.sample = ranks.gather_values(sample);
  return found;
}

Runs divide(const CloudSurvey& data, const Curve& curve, int dimensions, std::int64_t runs) {
  std::vector<std::uint64_t> positions;
  const auto d = static_cast<std::size_t>(dimensions);
  for (std::size_t i = 0; i + d <= data.sample.size(); i += d) {
    Coordinates point{};
    std::copy_n(data.sample.begin() + static_cast<std::ptrdiff_t>(i), d, point.begin());
    positions.push_back(curve.position(point));
  }
  std::ranges::sort(positions);
  std::vector<std::uint64_t> first = {0};
  for (std::int64_t r = 1; r < runs && !positions.empty(); ++r) {
    const std::uint64_t begin =
        positions[positions.size() * static_cast<std::size_t>(r) / static_cast<std::size_t>(runs)];
    if (begin > first.back()) first.push_back(begin);
  }
  return Runs(std::move(first));
}

}  // namespace kann::flow
