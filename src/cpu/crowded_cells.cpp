#include "cpu/crowded_cells.hpp"

#include <algorithm>
#include <ranges>
#include <vector>

#include "base/parallel.hpp"
#include "base/resize_fresh.hpp"
#include "cpu/vector/names.hpp"
#include "geometry/crowded_cell.hpp"

namespace kann::cpu {
namespace {

/// A cell with more points than these, two buckets, is crowded.
constexpr std::int64_t k_crowded_cell_points = 2 * k_group;

template <int D>
std::array<float, D> point_at(const Placed<D>& points, std::int64_t i) {
  std::array<float, D> point;
  for (int a = 0; a < D; ++a) point[a] = points.axes[a][i];
  return point;
}

/// A point of a crowded cell, as compare_interleaved() takes it.
template <int D>
struct CellPoint {
  std::uint32_t bits[D];
  std::uint32_t place;  // in the cell

  bool operator<(const CellPoint& other) const { return compare_interleaved(bits, other.bits) < 0; }
};

/// A place in a cell, by its leading bits in the fine grid.
struct FineCode {
  std::uint64_t code;
  std::uint32_t place;

  bool operator<(const FineCode& other) const { return code < other.code; }
};

/// Sorts one block per thread, then merges the blocks.
template <class T>
void sort_in_blocks(std::vector<T>& values, int threads) {
  const auto bound = [&](std::int64_t block) {
    return values.begin() + static_cast<std::int64_t>(values.size()) * std::min<std::int64_t>(block, threads) / threads;
  };
  base::parallel_chunks(threads, 1, threads,
                        [&](std::int64_t block, std::int64_t) { std::sort(bound(block), bound(block + 1)); });
  for (std::int64_t sorted = 1; sorted < threads; sorted *= 2)
    base::parallel_chunks((threads + 2 * sorted - 1) / (2 * sorted), 1, threads, [&](std::int64_t pair, std::int64_t) {
      const std::int64_t block = pair * 2 * sorted;
      std::inplace_merge(bound(block), bound(block + sorted), bound(block + 2 * sorted));
    });
}

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

/// Orders the points of a cell by the bits of their float32s.
template <int D>
void order_crowded_cell(Placed<D>& points, std::int64_t begin, std::int64_t end, int threads) {
  std::vector<CellPoint<D>> order(static_cast<std::size_t>(end - begin));
  for (std::int64_t i = begin; i < end; ++i) {
    const auto point = point_at(points, i);
    for (int a = 0; a < D; ++a) order[i - begin].bits[a] = ordered_bits(point[a]);
    order[i - begin].place = static_cast<std::uint32_t>(i - begin);
  }
  if (std::is_sorted(order.begin(), order.end())) return;  // as where all points are identical
  sort_in_blocks(order, threads);
  apply(order, points, begin);
}

/// Orders the points of a cell by their float64s, of which thousands can share one float32; codes[begin … end) become
/// their codes in the fine grid.
template <int D>
void order_crowded_cell(Placed<D>& points, const double* given, const FineGrid<D>& grid, std::int64_t begin,
                        std::int64_t end, Array<std::uint64_t>& codes, int threads) {
  std::vector<FineCode> order(static_cast<std::size_t>(end - begin));
  base::parallel_for(end - begin, threads, [&](std::int64_t i) {
    order[i] = {grid.code_of(given_point<D>(given, points.ids[begin + i])), static_cast<std::uint32_t>(i)};
  });
  if (!std::is_sorted(order.begin(), order.end())) {
    sort_in_blocks(order, threads);
    apply(order, points, begin);
  }
  for (std::size_t i = 0; i < order.size(); ++i) codes[begin + static_cast<std::int64_t>(i)] = order[i].code;

  // Points whose codes are equal, as where a cell has several scales
  const auto precedes = [&](const FineCode& p, const FineCode& q) {
    return grid.precedes(given_point<D>(given, points.ids[begin + p.place]),
                         given_point<D>(given, points.ids[begin + q.place]));
  };
  for (std::size_t first = 0, last; first < order.size(); first = last) {
    last = first + 1;
    while (last < order.size() && order[first].code == order[last].code) ++last;
    if (last - first <= static_cast<std::size_t>(k_group)) continue;
    std::vector<FineCode> shared;
    for (std::size_t i = first; i < last; ++i) shared.push_back({order[i].code, static_cast<std::uint32_t>(i)});
    if (std::is_sorted(shared.begin(), shared.end(), precedes)) continue;
    std::sort(shared.begin(), shared.end(), precedes);
    for (FineCode& one : shared) one.place -= static_cast<std::uint32_t>(first);
    apply(shared, points, begin + static_cast<std::int64_t>(first));
  }
}

}  // namespace

template <int D>
std::vector<CrowdedCell> find_crowded_cells(const OrderedCloud<D>& cloud, int threads) {
  const Array<std::uint64_t>& codes = cloud.codes;
  const std::int64_t n = cloud.points.count;
  // So many points have the code of two places that are half as far apart; the first pair of a cell is what counts
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

/// Calls order(cell, its number, threads): large cells are ordered by all threads together, the others by one each.
template <class Order>
void for_each_cell(const std::vector<CrowdedCell>& cells, std::int64_t n, int threads, Order order) {
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].end - cells[i].begin > n / (4 * threads)) {
      order(cells[i], i, threads);
    } else {
      others.push_back(i);
    }
  }
  base::parallel_chunks(static_cast<std::int64_t>(others.size()), 1, threads,
                        [&](std::int64_t i, std::int64_t) { order(cells[others[i]], others[i], 1); });
}

}  // namespace

template <int D>
void order_crowded_cells(OrderedCloud<D>& cloud, int threads) {
  for_each_cell(find_crowded_cells(cloud, threads), cloud.points.count, threads,
                [&](const CrowdedCell& cell, std::size_t, int cell_threads) {
                  order_crowded_cell(cloud.points, cell.begin, cell.end, cell_threads);
                });
}

template <int D>
FineOrder<D> order_crowded_cells(OrderedCloud<D>& cloud, const double* given, int threads) {
  FineOrder<D> fine;
  fine.cells = find_crowded_cells(cloud, threads);
  if (fine.cells.empty()) return fine;
  fine.grids.resize(fine.cells.size());
  base::resize_fresh(fine.codes, cloud.points.count);
  for_each_cell(fine.cells, cloud.points.count, threads, [&](const CrowdedCell& cell, std::size_t i, int cell_threads) {
    fine.grids[i] = FineGrid<D>(given, &cloud.points.ids[cell.begin], cell.end - cell.begin);
    order_crowded_cell(cloud.points, given, fine.grids[i], cell.begin, cell.end, fine.codes, cell_threads);
  });
  return fine;
}

template <int D>
void rank_within_crowded_cells(const OrderedCloud<D>& queries, const OrderedCloud<D>& data, Array<std::uint32_t>& ranks,
                               int threads) {
  base::parallel_for(queries.points.count, threads, [&](std::int64_t i) {
    const std::int64_t end = ranks[i];
    if (end < k_crowded_cell_points || data.codes[end - k_crowded_cell_points] != queries.codes[i]) return;
    const std::int64_t begin =
        std::lower_bound(data.codes.begin(), data.codes.begin() + end, queries.codes[i]) - data.codes.begin();
    const auto query = point_at(queries.points, i);
    const auto cell = std::views::iota(begin, end);
    const auto place = std::ranges::partition_point(
        cell, [&](std::int64_t at) { return precedes_within_cell<D>(point_at(data.points, at).data(), query.data()); });
    ranks[i] = static_cast<std::uint32_t>(begin + (place - cell.begin()));
  });
}

template <int D>
void rank_within_crowded_cells(const OrderedCloud<D>& queries, const double* given_queries, const OrderedCloud<D>& data,
                               const double* given_data, const FineOrder<D>& fine, Array<std::uint32_t>& ranks,
                               int threads) {
  if (fine.cells.empty()) return;
  base::parallel_for(queries.points.count, threads, [&](std::int64_t i) {
    const std::int64_t end = ranks[i];
    const auto cell = std::ranges::lower_bound(fine.cells, end, {}, &CrowdedCell::end);
    if (cell == fine.cells.end() || cell->end != end || data.codes[end - 1] != queries.codes[i]) return;
    const FineGrid<D>& grid = fine.grids[static_cast<std::size_t>(cell - fine.cells.begin())];
    const auto query = given_point<D>(given_queries, queries.points.ids[i]);
    const auto [first, last] =
        std::equal_range(fine.codes.begin() + cell->begin, fine.codes.begin() + end, grid.code_of(query));
    const auto shared = std::views::iota(first - fine.codes.begin(), last - fine.codes.begin());
    const auto place = std::ranges::partition_point(
        shared, [&](std::int64_t at) { return grid.precedes(given_point<D>(given_data, data.points.ids[at]), query); });
    ranks[i] = static_cast<std::uint32_t>((first - fine.codes.begin()) + (place - shared.begin()));
  });
}

#define KANN_INSTANTIATE(D)                                                                                         \
  template std::vector<CrowdedCell> find_crowded_cells<D>(const OrderedCloud<D>&, int);                             \
  template void order_crowded_cells<D>(OrderedCloud<D>&, int);                                                      \
  template FineOrder<D> order_crowded_cells<D>(OrderedCloud<D>&, const double*, int);                               \
  template void rank_within_crowded_cells<D>(const OrderedCloud<D>&, const OrderedCloud<D>&, Array<std::uint32_t>&, \
                                             int);                                                                  \
  template void rank_within_crowded_cells<D>(const OrderedCloud<D>&, const double*, const OrderedCloud<D>&,         \
                                             const double*, const FineOrder<D>&, Array<std::uint32_t>&, int);
KANN_INSTANTIATE(2)
KANN_INSTANTIATE(3)
#undef KANN_INSTANTIATE

}  // namespace kann::cpu
