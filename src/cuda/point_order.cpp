#include "cuda/point_order.hpp"

#include <algorithm>

#include "cuda/encode.hpp"
#include "cuda/place.hpp"

namespace kann::cuda {

PointOrder::PointOrder(Run& run, std::int64_t count)
    : run_(run), count_(count), sorter_(run.pool, count_), unsettled_(run.pool, 1) {
  check(cudaMemsetAsync(unsettled_.data(), 0, sizeof(std::uint32_t), run.stream), "order: flag");
}

RankedOrder PointOrder::order(const Shift& shift, const PointSource& source, PlacedPoint* d_placed) {
  if (needs_full_keys_) {
    sort_fully(shift, source, d_placed);
    return {full_sorter_.keys(), d_placed, count_, 0, std::max(1, shift.bits - unused_bits(shift)), 0, source.grid};
  }
  const KeyLayout layout = key_layout(count_, shift.bits, unused_bits(shift));
  all_compared_ &= layout.rest_bits == 0;
  sort_packed(shift, layout, source, d_placed);
  return {sorter_.keys(),   d_placed,   count_, layout.payload_bits, layout.payload_bits + layout.sorted_bits,
          layout.rest_bits, source.grid};
}

bool PointOrder::is_settled() {
  if (needs_full_keys_ || all_compared_) return true;
  std::uint32_t unsettled = 0;
  check(cudaMemcpyAsync(&unsettled, unsettled_.data(), sizeof unsettled, cudaMemcpyDeviceToHost, run_.stream),
        "order: flag");
  run_.stream.synchronize();
  needs_full_keys_ = unsettled;
  return !unsettled;
}

void PointOrder::sort_packed(const Shift& shift, const KeyLayout& layout, const PointSource& source,
                             PlacedPoint* d_placed) {
  pack_keys(source, count_, shift, layout, sorter_.keys_in(), run_.stream);
  run_.timer.lap(run_.steps.encode);
  sorter_.sort(count_, layout.payload_bits, layout.payload_bits + layout.sorted_bits, run_.stream);
  place_packed(sorter_.keys(), count_, shift, layout, source, d_placed, unsettled_.data(), run_.stream);
  run_.timer.lap(run_.steps.sort);
}

void PointOrder::sort_fully(const Shift& shift, const PointSource& source, PlacedPoint* d_placed) {
  if (full_sorter_.capacity() == 0) {
    sorter_ = {};
    full_sorter_ = PairSorter<std::uint64_t>(run_.pool, count_);
  }
  full_keys(source, count_, shift, full_sorter_.keys_in(), full_sorter_.indices_in(), run_.stream);
  run_.timer.lap(run_.steps.encode);
  full_sorter_.sort(count_, shift.bits, run_.stream);
  place_indices(full_sorter_.indices(), count_, shift.dimensions, source, d_placed, run_.stream);
  run_.timer.lap(run_.steps.sort);
}

}  // namespace kann::cuda
