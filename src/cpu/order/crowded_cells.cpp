#include "cpu/order/crowded_cells.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/host_memory.hpp"
#include "base/threads/parallel.hpp"
#include "cpu/vector/names.hpp"

namespace kann::cpu {
namespace {

/// A cell with more points than these, two buckets, is crowded.
constexpr std::int64_t k_crowded_cell_points = 2 * k_group;

/// The points of a cloud in their order, as float32s.
template <int D>
struct PlacedPoints {
  using Real = float;
  const Placed<D>& points;

  Real coordinate(std::int64_t place, int a) const { return points.axes[a][place]; }
};

/// The points of a cloud in their order, as float64s, which are row-major as they were given.
template <int D>
struct GivenPoints {
  using Real = double;
  const Placed<D>& points;
  const double* given;

  Real coordinate(std::int64_t place, int a) const {
    return given[static_cast<std::int64_t>(points.ids[place]) * D + a];
  }
};

/// Permutes values[begin …] into the given order.
template <class T, class Point>
void permute(Array<T>& values, std::int64_t begin, const std::vector<Point>& order) {
  std::vector<T> moved(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) moved[i] = values[begin + order[i].place];
  std::copy(moved.begin(), moved.end(), values.begin() + begin);
}

template <class Point, int D>
void apply(const std::vector<Point>& order, Placed<D>& points, std::int64_t begin) {
  for (auto& axis : points.axes) permute(axis, begin, order);
  permute(points.ids, begin, order);
}

/// Orders the points of a cell by a k-d tree, and sets its nodes.
template <int D, class Points>
void order_crowded_cell(Placed<D>& placed, const Points& points, const CrowdedCell& cell, FineSplit* splits,
                        int threads) {
  std::vector<CellPoint<D, typename Points::Real>> order(static_cast<std::size_t>(cell.end - cell.begin));
  base::parallel_for(cell.end - cell.begin, threads, [&](std::int64_t i) {
    for (int a = 0; a < D; ++a) order[i].axis[a] = points.coordinate(cell.begin + i, a);
    order[i].place = static_cast<std::uint32_t>(i);
  });
  FineTree<D, typename Points::Real>(order, cell.begin, splits).build(threads);
  apply(order, placed, cell.begin);
}

}  // namespace

template <int D>
std::vector<CrowdedCell> find_crowded_cells(const OrderedCloud<D>& cloud, int threads) {
  const Array<std::uint64_t>& codes = cloud.codes;
  const std::int64_t n = cloud.points.count;
  // A crowded cell has two places that are consecutive multiples of half its least number of points; a cell is counted
  // at its first such pair
  constexpr std::int64_t step = k_crowded_cell_points / 2;
  std::vector<std::vector<std::int64_t>> begins(static_cast<std::size_t>(threads));
  base::parallel_blocks(n / step, threads, [&](int block, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first * step; i < last * step; i += step) {
      if (i + step >= n || codes[i] != codes[i + step] || (i > 0 && codes[i - step] == codes[i])) continue;
      std::int64_t begin = i;
      while (begin > 0 && codes[begin - 1] == codes[i]) --begin;
      if (begin + k_crowded_cell_points < n && codes[begin + k_crowded_cell_points] == codes[i])
        begins[block].push_back(begin);
    }
  });
  std::vector<CrowdedCell> crowded;
  for (const auto& some : begins)
    for (const std::int64_t begin : some) {
      const auto after = std::upper_bound(codes.begin() + begin + k_crowded_cell_points, codes.end(), codes[begin]);
      crowded.push_back({begin, after - codes.begin()});
    }
  return crowded;
}

namespace {

/// Calls order(cell, threads): large cells are ordered by all threads together, the others by one each.
template <class Order>
void for_each_cell(const std::vector<CrowdedCell>& cells, std::int64_t n, int threads, Order order) {
  std::vector<CrowdedCell> others;
  for (const CrowdedCell& cell : cells) {
    if (cell.end - cell.begin > n / (4 * threads)) {
      order(cell, threads);
    } else {
      others.push_back(cell);
    }
  }
  base::parallel_chunks(static_cast<std::int64_t>(others.size()), 1, threads,
                        [&](std::int64_t i, std::int64_t) { order(others[i], 1); });
}

/// Whether more than a quarter of `n` points are in cells with more than one in 64 of them: no grid serves such a
/// cloud. (Coordinates of 10⁻²⁰ … 10¹⁰ on every axis, half of them in eight cells, 2²⁰ × 2²⁰: 17.7 s → 0.9 s.)
bool has_few_large_cells(const std::vector<CrowdedCell>& cells, std::int64_t n) {
  std::int64_t inside = 0;
  for (const CrowdedCell& cell : cells)
    if (cell.end - cell.begin > n / 64) inside += cell.end - cell.begin;
  return inside > n / 4;
}

template <int D, class Points>
FineOrder order_cells(OrderedCloud<D>& cloud, const Points& points, int threads) {
  FineOrder fine;
  fine.cells = find_crowded_cells(cloud, threads);
  if (fine.cells.empty()) return fine;
  fine.is_of_all = has_few_large_cells(fine.cells, cloud.points.count);
  if (fine.is_of_all) fine.cells = {{0, cloud.points.count}};
  std::int64_t largest = 0, crowded = 0;
  for (const CrowdedCell& cell : fine.cells) {
    largest = std::max(largest, cell.end - cell.begin);
    crowded += cell.end - cell.begin;
  }
  constexpr double bytes_per_point = 36;  // of the cells that are ordered at once
  const auto at_once = static_cast<double>(std::max(largest, std::min(crowded, cloud.points.count / 4)));
  base::check_host_memory(bytes_per_point * at_once, "to order points that are close together");
  fine.splits.resize(static_cast<std::size_t>(cloud.points.count / k_group + 1));
  for_each_cell(fine.cells, cloud.points.count, threads, [&](const CrowdedCell& cell, int cell_threads) {
    order_crowded_cell(cloud.points, points, cell, fine.splits.data(), cell_threads);
  });
  return fine;
}

template <int D, class Points>
void rank_within_cells(const OrderedCloud<D>& queries, const Points& points, const OrderedCloud<D>& data,
                       const FineOrder& fine, Array<std::uint32_t>& ranks, int threads) {
  if (fine.cells.empty()) return;
  base::parallel_for(queries.points.count, threads, [&](std::int64_t i) {
    auto cell = fine.cells.begin();
    if (!fine.is_of_all) {
      const std::int64_t end = ranks[i];
      if (end == 0 || data.codes[end - 1] != queries.codes[i]) return;
      cell = std::ranges::lower_bound(fine.cells, end, {}, &CrowdedCell::end);
      if (cell == fine.cells.end() || cell->end != end) return;
    }
    std::array<double, D> query;
    for (int a = 0; a < D; ++a) query[a] = static_cast<double>(points.coordinate(i, a));
    ranks[i] = static_cast<std::uint32_t>(place_in_fine_tree<D>(fine.splits.data(), cell->begin, cell->end, query));
  });
}

}  // namespace

template <int D>
FineOrder order_crowded_cells(OrderedCloud<D>& cloud, const double* given, int threads) {
  return given ? order_cells(cloud, GivenPoints<D>{cloud.points, given}, threads)
               : order_cells(cloud, PlacedPoints<D>{cloud.points}, threads);
}

template <int D>
void rank_within_crowded_cells(const OrderedCloud<D>& queries, const double* given, const OrderedCloud<D>& data,
                               const FineOrder& fine, Array<std::uint32_t>& ranks, int threads) {
  if (given) {
    rank_within_cells(queries, GivenPoints<D>{queries.points, given}, data, fine, ranks, threads);
  } else {
    rank_within_cells(queries, PlacedPoints<D>{queries.points}, data, fine, ranks, threads);
  }
}

#define KANN_INSTANTIATE(D)                                                                                 \
  template std::vector<CrowdedCell> find_crowded_cells<D>(const OrderedCloud<D>&, int);                     \
  template FineOrder order_crowded_cells<D>(OrderedCloud<D>&, const double*, int);                          \
  template void rank_within_crowded_cells<D>(const OrderedCloud<D>&, const double*, const OrderedCloud<D>&, \
                                             const FineOrder&, Array<std::uint32_t>&, int);
KANN_INSTANTIATE(2)
KANN_INSTANTIATE(3)
#undef KANN_INSTANTIATE

}  // namespace kann::cpu
