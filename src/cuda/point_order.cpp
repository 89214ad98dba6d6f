#include "cuda/point_order.hpp"

#include <algorithm>

#include "cuda/encode.hpp"
#include "cuda/place.hpp"

namespace kann::cuda {

PointOrder::PointOrder(Run& run, std::int64_t count)
    : run_(run), count_(count), sorter_(run.pool, count_), unsettled_(run.pool, 1) {
  clear_flag();
}

RankedOrder PointOrder::order(const Shift& shift, const PointSource& source, PlacedPoint* d_placed) {
  if (by_ != By::leading_bits) {
    sort_fully(shift, source, d_placed);
    may_be_unsettled_ = by_ == By::all_bits && is_fine(shift);
    return {full_sorter_.keys(), d_placed, count_, 0, std::max(1, shift.bits - unused_bits(shift)), 0, source.grid};
  }
  const KeyLayout layout = key_layout(count_, shift.bits, unused_bits(shift));
  may_be_unsettled_ |= layout.rest_bits > 0;
  sort_packed(shift, layout, source, d_placed);
  return {sorter_.keys(),   d_placed,   count_, layout.payload_bits, layout.payload_bits + layout.sorted_bits,
          layout.rest_bits, source.grid};
}

bool PointOrder::is_settled() {
  if (!may_be_unsettled_) return true;
  std::uint32_t unsettled = 0;
  check(cudaMemcpyAsync(&unsettled, unsettled_.data(), sizeof unsettled, cudaMemcpyDeviceToHost, run_.stream),
        "order: flag");
  run_.stream.synchronize();
  if (!unsettled) return true;
  by_ = by_ == By::leading_bits ? By::all_bits : By::coordinates;
  may_be_unsettled_ = false;
  clear_flag();
  return false;
}

void PointOrder::clear_flag() {
  check(cudaMemsetAsync(unsettled_.data(), 0, sizeof(std::uint32_t), run_.stream), "order: flag");
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
  // The least significant first: each sort is stable
  const std::uint32_t* d_from = nullptr;
  if (by_ == By::coordinates) {
    for (const bool high : {false, true}) {
      fine_keys(source, d_from, count_, shift.dimensions, high, full_sorter_.keys_in(), full_sorter_.indices_in(),
                run_.stream);
      run_.timer.lap(run_.steps.encode);
      full_sorter_.sort(count_, k_fine_bits * shift.dimensions, run_.stream);
      d_from = full_sorter_.indices();
      run_.timer.lap(run_.steps.sort);
    }
  }
  full_keys(source, d_from, count_, shift, full_sorter_.keys_in(), full_sorter_.indices_in(), run_.stream);
  run_.timer.lap(run_.steps.encode);
  full_sorter_.sort(count_, shift.bits, run_.stream);
  place_indices(full_sorter_.indices(), count_, shift.dimensions, source, d_placed, run_.stream);
  if (by_ == By::all_bits && is_fine(shift))
    check_cells(full_sorter_.keys(), count_, shift.dimensions, d_placed, unsettled_.data(), run_.stream);
  run_.timer.lap(run_.steps.sort);
}

}  // namespace kann::cuda
