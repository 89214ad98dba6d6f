#include "cpu/crowds.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <vector>

#include "geometry/fine_order.hpp"
#include "parallel.hpp"

namespace kann::cpu {
namespace {

/// Fewer points than this in a cell, a few buckets of them, are no crowd.
constexpr std::int64_t k_crowd = 4 * k_bucket;

template <int D>
std::array<float, D> point_at(const Placed<D>& points, std::int64_t i) {
  std::array<float, D> point;
  for (int a = 0; a < D; ++a) point[a] = points.axes[a][i];
  return point;
}

/// Puts values[begin …] in the given order of them.
template <class T>
void permute(Array<T>& values, std::int64_t begin, const std::vector<std::int64_t>& order) {
  std::vector<T> moved(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) moved[i] = values[order[i]];
  std::copy(moved.begin(), moved.end(), values.begin() + begin);
}

template <int D>
void order_crowd(OrderedCloud<D>& cloud, std::int64_t begin, std::int64_t end) {
  Placed<D>& points = cloud.points;
  std::vector<std::int64_t> order(static_cast<std::size_t>(end - begin));
  std::iota(order.begin(), order.end(), begin);
  const auto before = [&](std::int64_t i, std::int64_t j) {
    return comes_finely_before<D>(point_at(points, i).data(), point_at(points, j).data());
  };
  if (std::is_sorted(order.begin(), order.end(), before)) return;  // all one point, say
  std::sort(order.begin(), order.end(), before);
  for (auto& axis : points.axes) permute(axis, begin, order);
  permute(points.ids, begin, order);
  permute(cloud.codes, begin, order);
}

}  // namespace

template <int D>
void order_crowds(OrderedCloud<D>& cloud, int loose_bits, int threads) {
  const auto code = [&](std::int64_t i) { return cloud.codes[i] >> loose_bits; };
  const std::int64_t n = cloud.points.count;
  // Found before any is changed
  std::vector<std::vector<std::int64_t>> begins(static_cast<std::size_t>(threads));
  parallel_blocks(n, threads, [&](int block, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      if ((i == 0 || code(i - 1) != code(i)) && i + k_crowd < n && code(i + k_crowd) == code(i))
        begins[block].push_back(i);
  });
  std::vector<std::int64_t> crowds;
  for (const auto& some : begins) crowds.insert(crowds.end(), some.begin(), some.end());
  parallel_chunks(static_cast<std::int64_t>(crowds.size()), 1, threads, [&](std::int64_t crowd, std::int64_t) {
    const std::int64_t begin = crowds[crowd];
    std::int64_t end = begin + k_crowd;
    while (end < n && code(end) == code(begin)) ++end;
    order_crowd(cloud, begin, end);
  });
}

template <int D>
void find_places_in_crowds(const OrderedCloud<D>& queries, const OrderedCloud<D>& data, Array<std::uint32_t>& ranks,
                           int threads) {
  parallel_for(queries.points.count, threads, [&](std::int64_t i) {
    const std::int64_t end = ranks[i];
    if (end < k_crowd || data.codes[end - k_crowd] != queries.codes[i]) return;
    const std::int64_t begin =
        std::lower_bound(data.codes.begin(), data.codes.begin() + end, queries.codes[i]) - data.codes.begin();
    const auto query = point_at(queries.points, i);
    const auto crowd = std::views::iota(begin, end);
    const auto place = std::ranges::partition_point(
        crowd, [&](std::int64_t at) { return comes_finely_before<D>(point_at(data.points, at).data(), query.data()); });
    ranks[i] = static_cast<std::uint32_t>(begin + (place - crowd.begin()));
  });
}

#define KANN_INSTANTIATE(D)                                  \
  template void order_crowds<D>(OrderedCloud<D>&, int, int); \
  template void find_places_in_crowds<D>(const OrderedCloud<D>&, const OrderedCloud<D>&, Array<std::uint32_t>&, int);
KANN_INSTANTIATE(2)
KANN_INSTANTIATE(3)
#undef KANN_INSTANTIATE

}  // namespace kann::cpu
