#include "cuda/order/point_order.hpp"

#include <algorithm>

#include "cuda/order/encode.hpp"

namespace kann::cuda {
namespace {

// What parts most points: a sort of five passes, and of four where points are fewer.
constexpr int k_leading_bits = 40;
constexpr std::int64_t k_few_points = 1 << 20;
// Of more, a key has no more bits than the coarse ones.
constexpr std::int64_t k_max_points = std::int64_t{1} << (64 - k_coarse_bits - 1);

// Where one point in eight shares its coarse bits with the one before it, putting runs in order takes as long as the
// pass that is saved.
constexpr std::int64_t k_many_in_runs = 8;
// Where one point in 32 does and points fill space, a cell of k_sparse_bits has about two.
constexpr std::int64_t k_some_in_runs = 32;

}  // namespace

PointOrder::PointOrder(SearchContext& context, std::int64_t count, const Scratch& scratch, int later)
    : context_(context),
      count_(count),
      scratch_(scratch),
      by_(count <= k_few_points ? By::coarse_bits : By::leading_bits),
      tries_coarse_bits_(later > 0 && count > k_few_points && count <= k_max_points),
      sorter_(context.pool, count) {
  Scratch own = scratch_;
  // A sort needs two, and one of them is left when points are placed
  for (int i = 0; i < 2; ++i) keys_.push_back(own.take<std::uint64_t>(count));
  if (later > 1 && own.has_borrowed<std::uint64_t>(count)) keys_.push_back(own.take<std::uint64_t>(count));
  context_.order_reports.clear();
}

RankedOrder PointOrder::order(const Shift& shift, const PointSource& source, PlacedPoint* d_placed,
                              std::span<const Shift> later) {
  asked_ = false;
  const bool packed = by_ == By::coarse_bits || by_ == By::leading_bits;
  return packed ? sort_packed(shift, source, d_placed, later) : sort_fully(shift, source, d_placed);
}

RankedOrder PointOrder::settled_order(const Shift& shift, const PointSource& source, PlacedPoint* d_placed) {
  while (true) {
    const RankedOrder result = order(shift, source, d_placed);
    if (is_settled()) return result;
  }
}

void PointOrder::ask() {
  if (may_be_unsettled_ || may_adapt()) context_.order_reports.send();
  asked_ = true;
}

bool PointOrder::is_settled() {
  if (!may_be_unsettled_ && !may_adapt()) return true;
  if (!asked_) ask();
  const OrderReport& report = context_.order_reports.wait();
  if (!report.unsettled) {
    if (may_adapt() && has_few_runs(k_many_in_runs)) by_ = By::coarse_bits;
    tries_coarse_bits_ = false;
    return true;
  }
  by_ = by_ == By::coarse_bits ? By::leading_bits : by_ == By::leading_bits ? By::all_bits : By::within_cells;
  tries_coarse_bits_ = may_be_unsettled_ = false;
  ahead_.clear();
  context_.order_reports.clear();
  return false;
}

bool PointOrder::is_sparse() { return may_adapt() && asked_ && has_few_runs(k_some_in_runs); }

/// Whether fewer than one point of `many` shares its coarse bits with the one before it, and no cell has many points.
bool PointOrder::has_few_runs(std::int64_t many) {
  const OrderReport& report = context_.order_reports.wait();
  return !report.has_long_coarse_runs && report.sampled_coarse_runs * many < count_ / k_sample_blocks;
}

KeyLayout PointOrder::layout_of(const Shift& shift) const {
  const int sorted = by_ == By::coarse_bits ? k_coarse_bits : k_leading_bits;
  const int prefix = count_ <= k_few_points ? sorted : k_leading_bits;
  return key_layout(count_, shift.bits, unused_bits(shift), prefix, sorted);
}

/// Which of keys_ are neither those of a next order nor `used`: the first, or past the last.
std::size_t PointOrder::spare_keys(std::initializer_list<std::size_t> used) const {
  const auto is_in = [](const auto& some, std::size_t i) { return std::ranges::find(some, i) != some.end(); };
  std::size_t i = 0;
  while (is_in(ahead_, i) || is_in(used, i)) ++i;
  return i;
}

RankedOrder PointOrder::sort_packed(const Shift& shift, const PointSource& source, PlacedPoint* d_placed,
                                    std::span<const Shift> later) {
  const KeyLayout layout = layout_of(shift);
  std::size_t in = 0;
  if (ahead_.empty()) {
    pack_keys(source, count_, shift, layout, keys_[in].data(), context_.stream);
    context_.timer.lap(context_.steps.encode);
  } else {
    in = ahead_.front();
    ahead_.erase(ahead_.begin());
  }
  const std::size_t spare = spare_keys({in});
  const bool is_in_spare = sorter_.sort(keys_[in].data(), keys_[spare].data(), count_, layout.first_sorted_bit(),
                                        layout.key_bits(), context_.stream);

  const std::size_t sorted = is_in_spare ? spare : in;
  const std::size_t placed = layout.sorts_prefix() ? sorted : spare_keys({sorted});
  Placing placing{keys_[sorted].data(),
                  count_,
                  shift,
                  layout,
                  source,
                  d_placed,
                  nullptr,
                  {},
                  may_adapt(),
                  context_.order_reports.d_report()};
  if (placed != sorted) placing.d_placed_keys = keys_[placed].data();
  for (const Shift& next : later) {
    const std::size_t spare_now = spare_keys({sorted, placed});
    if (spare_now == keys_.size()) break;
    ahead_.push_back(spare_now);
    LaterKeys& keys = placing.later;
    keys.shift_codes[keys.count] = next.dimensions == 3 ? shift_code<3>(next.cells) : shift_code<2>(next.cells);
    keys.prefix_bits[keys.count] = layout_of(next).prefix_bits;
    keys.d_keys[keys.count++] = keys_[ahead_.back()].data();
  }
  place_packed(placing, context_.stream);
  context_.timer.lap(context_.steps.sort);
  may_be_unsettled_ |= layout.rest_bits > 0 || !layout.sorts_prefix();
  return {keys_[placed].data(), d_placed,         count_,     layout.payload_bits,
          layout.key_bits(),    layout.rest_bits, source.grid};
}

RankedOrder PointOrder::sort_fully(const Shift& shift, const PointSource& source, PlacedPoint* d_placed) {
  if (full_sorter_.capacity() == 0) {
    keys_.clear();
    full_sorter_ = PairSorter<std::uint64_t>(scratch_, count_);
  }
  // The least significant first: each sort is stable
  const std::uint32_t* d_from = nullptr;
  if (by_ == By::within_cells) {
    for (const bool high : {false, true}) {
      within_cell_keys(source, d_from, count_, shift.dimensions, high, full_sorter_.keys_in(),
                       full_sorter_.indices_in(), context_.stream);
      context_.timer.lap(context_.steps.encode);
      full_sorter_.sort(count_, 0, k_within_cell_bits * shift.dimensions, context_.stream);
      d_from = full_sorter_.indices();
      context_.timer.lap(context_.steps.sort);
    }
  }
  full_keys(source, d_from, count_, shift, full_sorter_.keys_in(), full_sorter_.indices_in(), context_.stream);
  context_.timer.lap(context_.steps.encode);
  full_sorter_.sort(count_, 0, shift.bits, context_.stream);
  place_indices(full_sorter_.indices(), count_, shift.dimensions, source, d_placed, context_.stream);
  may_be_unsettled_ = by_ == By::all_bits && orders_within_cells(shift);
  if (may_be_unsettled_)
    check_crowded_cells(full_sorter_.keys(), count_, shift.dimensions, d_placed, context_.order_reports.d_report(),
                        context_.stream);
  context_.timer.lap(context_.steps.sort);
  return {full_sorter_.keys(), d_placed, count_, 0, std::max(1, shift.bits - unused_bits(shift)), 0, source.grid};
}

}  // namespace kann::cuda
