#include "cuda/point_order.hpp"

#include "cuda/encode.hpp"
#include "cuda/place.hpp"

namespace kann::cuda {

PointOrder::PointOrder(Run& run, std::int64_t count, int bits)
    : run_(run), count_(count), layout_(key_layout(count_, bits)), sorter_(run.pool, count_), unsettled_(run.pool, 1) {
  check(cudaMemsetAsync(unsettled_.data(), 0, sizeof(std::uint32_t), run.stream), "order: flag");
}

RankedOrder PointOrder::order(const Shift& shift, const PointSource& source, PlacedPoint* d_placed,
                              std::uint32_t* d_payloads) {
  if (needs_full_keys_) {
    sort_fully(shift, source, d_placed, d_payloads);
    return {full_sorter_.keys(), d_placed, count_, 0, shift.bits, 0, source.grid};
  }
  sort_packed(shift, source, d_placed, d_payloads);
  return {sorter_.keys(),    d_placed,   count_, layout_.payload_bits, layout_.payload_bits + layout_.prefix_bits,
          layout_.rest_bits, source.grid};
}

bool PointOrder::is_settled() {
  if (needs_full_keys_ || layout_.rest_bits == 0) return true;
  std::uint32_t unsettled = 0;
  check(cudaMemcpyAsync(&unsettled, unsettled_.data(), sizeof unsettled, cudaMemcpyDeviceToHost, run_.stream),
        "order: flag");
  run_.stream.synchronize();
  needs_full_keys_ = unsettled;
  return !unsettled;
}

void PointOrder::sort_packed(const Shift& shift, const PointSource& source, PlacedPoint* d_placed,
                             std::uint32_t* d_payloads) {
  pack_keys(source, count_, shift, layout_, sorter_.keys_in(), run_.stream);
  run_.timer.lap(run_.steps.encode);
  sorter_.sort(count_, layout_.payload_bits, layout_.payload_bits + layout_.prefix_bits, run_.stream);
  place_packed(sorter_.keys(), count_, shift, layout_, source, d_placed, d_payloads, unsettled_.data(), run_.stream);
  run_.timer.lap(run_.steps.sort);
}

void PointOrder::sort_fully(const Shift& shift, const PointSource& source, PlacedPoint* d_placed,
                            std::uint32_t* d_payloads) {
  if (full_sorter_.capacity() == 0) {
    sorter_ = {};
    full_sorter_ = PairSorter<std::uint64_t>(run_.pool, count_);
  }
  full_keys(source, count_, shift, full_sorter_.keys_in(), full_sorter_.indices_in(), run_.stream);
  run_.timer.lap(run_.steps.encode);
  full_sorter_.sort(count_, shift.bits, run_.stream);
  place_indices(full_sorter_.indices(), count_, shift.dimensions, source, d_placed, run_.stream);
  if (d_payloads && count_ > 0)
    check(cudaMemcpyAsync(d_payloads, full_sorter_.indices(), static_cast<std::size_t>(count_) * sizeof(std::uint32_t),
                          cudaMemcpyDeviceToDevice, run_.stream),
          "order: payloads");
  run_.timer.lap(run_.steps.sort);
}

}  // namespace kann::cuda
