#include "cpu/workspace.hpp"

#include <utility>

#include "base/resize_fresh.hpp"
#include "base/threads/parallel.hpp"
#include "cpu/own_places.hpp"
#include "cpu/vector/names.hpp"
#include "geometry/morton.hpp"

namespace kann::cpu {

template <int D>
void Workspace<D>::order_along_hilbert(const float* points, std::int64_t count, int bits_per_axis,
                                       OrderedCloud<D>& cloud) {
  const auto write_codes = [&](std::int64_t begin, std::int64_t end, std::uint64_t* codes) {
    encode_hilbert<D>(points + begin * D, end - begin, p.grid, bits_per_axis, codes);
  };
  sorter.sort_codes(count, p.threads, write_codes, [&] { watch.lap(answer.steps.encode); });
  gather_rows<D>(points, sorter, cloud.points, p.threads);
  base::resize_fresh(cloud.codes, count);
  base::parallel_for(count, p.threads, [&](std::int64_t i) { cloud.codes[i] = sorter.code(i); });
  watch.lap(answer.steps.sort);
}

template <int D>
void Workspace<D>::order(const float* points, std::int64_t count, bool roughly, OrderedCloud<D>& cloud) {
  Array<std::uint64_t>& codes = scratch;
  base::resize_fresh(codes, count);
  base::parallel_blocks(count, p.threads, [&](int, std::int64_t begin, std::int64_t end) {
    encode<D>(points + begin * D, end - begin, p.grid, codes.data() + begin);
  });
  watch.lap(answer.steps.encode);
  if (roughly) {
    sorter.sort_by_leading_bits<D>(codes, 0, p.threads);
  } else {
    sorter.sort<D>(codes, 0, p.threads);
  }
  gather_rows<D>(points, sorter, cloud.points, p.threads);
  // The codes are computed again from adjacent points, in half the time of gathering them from scattered places.
  base::resize_fresh(cloud.codes, count);
  base::parallel_blocks(count, p.threads, [&](int, std::int64_t begin, std::int64_t end) {
    auto axes = cloud.points.view().axes;
    for (auto& axis : axes) axis += begin;
    encode_axes<D>(axes, end - begin, p.grid, cloud.codes.data() + begin);
  });
  watch.lap(answer.steps.sort);
}

template <int D>
void Workspace<D>::rank(std::uint64_t shift, const RankTable& keys, const OrderedCloud<D>& cloud,
                        Array<std::uint32_t>& ranks) {
  base::resize_fresh(ranks, cloud.points.count);
  base::parallel_blocks(cloud.points.count, p.threads, [&](int, std::int64_t begin, std::int64_t end) {
    find_ranks<D>(cloud.codes.data() + begin, end - begin, shift, keys, ranks.data() + begin);
  });
  watch.lap(answer.steps.rank);
}

template <int D>
HostRows Workspace<D>::allocate_rows() {
  Neighbors& out = answer.neighbors;
  out.queries = p.query_count;
  out.k = p.k;
  base::resize_fresh(out.ids, p.query_count * p.k);
  base::resize_fresh(out.distances, p.query_count * p.k);
  return {out.ids.data(), out.distances.data(), p.k, p.unit};
}

template <int D>
Answer Workspace<D>::finish() {
  watch.lap(answer.steps.select);
  p.progress("search", 1);
  answer.device = {"CPU", DeviceKind::cpu, p.threads, 0};
  return std::move(answer);
}

template <int D>
double Workspace<D>::bytes(const Problem& p, int lists) {
  const double bytes_per_point =
      8 + 8 + ArgSorter::bytes_per_point + Placed<D>::bytes_per_point;  // codes: as read, and in order
  const double points = static_cast<double>(p.data_count) + (p.self_query() ? 0.0 : static_cast<double>(p.query_count));
  const double in_lists = k_list_bytes * lists * static_cast<double>(p.list_size()) * p.threads;
  return bytes_per_point * points + RankTable::bytes_per_key * static_cast<double>(p.data_count) + in_lists +
         own_places_bytes(p) + 8.0 * static_cast<double>(p.query_count) * static_cast<double>(p.k);
}

template class Workspace<2>;
template class Workspace<3>;

}  // namespace kann::cpu
