#include "cpu/nearest/boxes.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/threads/parallel.hpp"

namespace kann::cpu {
namespace {

template <int D, class Real>
void resize(BoxLevel<D, Real>& level, std::int64_t count) {
  constexpr Real infinity = std::numeric_limits<Real>::infinity();
  level.count = count;
  const auto filled = static_cast<std::size_t>(std::max((count + k_group - 1) / k_group, std::int64_t{1}) * k_group);
  for (int a = 0; a < D; ++a) {
    level.lo[a].resize(filled);
    level.hi[a].resize(filled);
    std::fill(level.lo[a].begin() + count, level.lo[a].end(), infinity);
    std::fill(level.hi[a].begin() + count, level.hi[a].end(), -infinity);
  }
  level.first_id.resize(filled);
  std::fill(level.first_id.begin() + count, level.first_id.end(), std::numeric_limits<std::int32_t>::max());
}

/// Box i of `level` around items [i·k_group, (i+1)·k_group) of `n`, which reach from lo[a][item] to hi[a][item].
template <int D, class Real, class Axes, class Ids>
void enclose(const Axes& lo, const Axes& hi, const Ids& ids, std::int64_t n, BoxLevel<D, Real>& level, int threads) {
  resize(level, (n + k_group - 1) / k_group);
  base::parallel_for(level.count, threads, [&](std::int64_t i) {
    const std::int64_t begin = i * k_group, end = std::min(begin + k_group, n);
    for (int a = 0; a < D; ++a) {
      Real minimum = std::numeric_limits<Real>::infinity(), maximum = -minimum;
      for (std::int64_t item = begin; item < end; ++item) {
        minimum = std::min(minimum, lo[a][item]);
        maximum = std::max(maximum, hi[a][item]);
      }
      level.lo[a][i] = minimum;
      level.hi[a][i] = maximum;
    }
    std::int32_t first = std::numeric_limits<std::int32_t>::max();
    for (std::int64_t item = begin; item < end; ++item) first = std::min(first, static_cast<std::int32_t>(ids[item]));
    level.first_id[i] = first;
  });
}

}  // namespace

template <int D, class Real>
std::vector<BoxLevel<D, Real>> build_boxes(const PlacedView<D, Real>& points, int threads) {
  std::vector<BoxLevel<D, Real>> levels(1);
  enclose(points.axes, points.axes, points.ids, points.count, levels[0], threads);
  while (levels.back().count > k_group) {
    BoxLevel<D, Real> level;
    const BoxLevel<D, Real>& below = levels.back();
    enclose(below.lo, below.hi, below.first_id, below.count, level, threads);
    levels.push_back(std::move(level));
  }
  return levels;
}

template std::vector<BoxLevel<2>> build_boxes(const PlacedView<2>&, int);
template std::vector<BoxLevel<3>> build_boxes(const PlacedView<3>&, int);
template std::vector<BoxLevel<2, double>> build_boxes(const PlacedView<2, double>&, int);
template std::vector<BoxLevel<3, double>> build_boxes(const PlacedView<3, double>&, int);

}  // namespace kann::cpu
