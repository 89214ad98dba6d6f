#include "cpu/crowded_cells.hpp"

#include <algorithm>
#include <ranges>
#include <vector>

#include "base/parallel.hpp"
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
template <class T, int D>
void permute(Array<T>& values, std::int64_t begin, const std::vector<CellPoint<D>>& order) {
  std::vector<T> moved(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) moved[i] = values[begin + order[i].place];
  std::copy(moved.begin(), moved.end(), values.begin() + begin);
}

template <int D>
void order_crowded_cell(OrderedCloud<D>& cloud, std::int64_t begin, std::int64_t end, int threads) {
  Placed<D>& points = cloud.points;
  std::vector<CellPoint<D>> order(static_cast<std::size_t>(end - begin));
  for (std::int64_t i = begin; i < end; ++i) {
    CellPoint<D>& cell_point = order[i - begin];
    for (int a = 0; a < D; ++a) cell_point.bits[a] = ordered_bits(points.axes[a][i]);
    cell_point.place = static_cast<std::uint32_t>(i - begin);
  }
  if (std::is_sorted(order.begin(), order.end())) return;  // as where all points are identical
  sort_in_blocks(order, threads);
  for (auto& axis : points.axes) permute(axis, begin, order);
  permute(points.ids, begin, order);
}

}  // namespace

template <int D>
void order_crowded_cells(OrderedCloud<D>& cloud, int threads) {
  const Array<std::uint64_t>& codes = cloud.codes;
  const std::int64_t n = cloud.points.count;
  // All cells are found before any is changed
  std::vector<std::vector<std::int64_t>> begins(static_cast<std::size_t>(threads));
  base::parallel_blocks(n, threads, [&](int block, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      if ((i == 0 || codes[i - 1] != codes[i]) && i + k_crowded_cell_points < n &&
          codes[i + k_crowded_cell_points] == codes[i])
        begins[block].push_back(i);
  });
  struct CrowdedCell {
    std::int64_t begin, end;
  };
  std::vector<CrowdedCell> crowded;
  for (const auto& some : begins)
    for (const std::int64_t begin : some) {
      const auto after = std::upper_bound(codes.begin() + begin + k_crowded_cell_points, codes.end(), codes[begin]);
      crowded.push_back({begin, after - codes.begin()});
    }
  // Large cells are ordered by all threads together, the others by one thread each.
  const auto is_large = [&](const CrowdedCell& cell) { return cell.end - cell.begin > n / (4 * threads); };
  const auto others = std::partition(crowded.begin(), crowded.end(), is_large);
  for (auto cell = crowded.begin(); cell != others; ++cell) order_crowded_cell(cloud, cell->begin, cell->end, threads);
  base::parallel_chunks(crowded.end() - others, 1, threads, [&](std::int64_t i, std::int64_t) {
    order_crowded_cell(cloud, others[i].begin, others[i].end, 1);
  });
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

#define KANN_INSTANTIATE(D)                                                                                         \
  template void order_crowded_cells<D>(OrderedCloud<D>&, int);                                                      \
  template void rank_within_crowded_cells<D>(const OrderedCloud<D>&, const OrderedCloud<D>&, Array<std::uint32_t>&, \
                                             int);
KANN_INSTANTIATE(2)
KANN_INSTANTIATE(3)
#undef KANN_INSTANTIATE

}  // namespace kann::cpu
