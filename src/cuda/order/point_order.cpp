#include "cuda/order/point_order.hpp"

#include <algorithm>
#include <utility>

#include "cuda/order/encode.hpp"

namespace kann::cuda {

PointOrder::PointOrder(SearchContext& context, std::int64_t count, int later_shifts)
    : context_(context),
      count_(count),
      plan_(first_plan(count, later_shifts > 0)),
      channel_(context.pool, context.mapped),
      sorter_(context.pool, count) {
  // A sort needs two arrays; one of them is free when the points are placed
  for (int i = 0; i < 2; ++i) keys_.emplace_back(context.pool, count);
  if (later_shifts > 1) keys_.emplace_back(context.pool, count);
}

PendingOrder PointOrder::order(const Shift& shift, const PointSource& source, PlacedPoint* d_placed, bool reports,
                               std::span<const Shift> later) {
  PendingOrder pending{
      plan_.is_packed() ? sort_packed(shift, source, d_placed, later) : sort_pairs(shift, source, d_placed), {}};
  if (reports && (may_be_incomplete_ || plan_.may_coarsen())) pending.report = channel_.send();
  return pending;
}

bool PointOrder::is_complete(const PendingOrder& pending) {
  if (!pending.report) return true;
  const SortVerdict verdict = judge_order(plan_, pending.report->get(), count_);
  plan_ = verdict.next;
  if (verdict.complete) return true;
  may_be_incomplete_ = false;
  made_ahead_.clear();
  channel_.clear();
  return false;
}

OrderedKeys PointOrder::take_keys(const SortedPoints& points) {
  const auto packed = std::ranges::find_if(keys_, [&](const auto& keys) { return keys.data() == points.d_keys; });
  if (packed != keys_.end()) return {points, std::move(*packed)};
  OrderedKeys taken{points, pair_sorter_.release_keys()};
  pair_sorter_ = {};  // what is left of its memory does not suffice for another sort
  return taken;
}

bool PointOrder::is_sparse(const PendingOrder& pending) const {
  return pending.report && plan_.may_coarsen() && cuda::is_sparse(pending.report->get(), count_);
}

KeyLayout PointOrder::layout_of(const Shift& shift) const {
  const int sorted = plan_.depth == SortDepth::coarse_bits ? k_coarse_bits : k_leading_bits;
  const int prefix = count_ <= k_few_points ? sorted : k_leading_bits;
  return key_layout(count_, shift.bits, unused_bits(shift), prefix, sorted);
}

/// The index of the first of keys_ that holds no keys of a next order and is not in `used`; keys_.size() if none is
/// left. Allocates it if it was taken.
std::size_t PointOrder::spare_keys(std::initializer_list<std::size_t> used) {
  const auto is_in = [](const auto& some, std::size_t i) { return std::ranges::find(some, i) != some.end(); };
  std::size_t i = 0;
  while (is_in(made_ahead_, i) || is_in(used, i)) ++i;
  if (i < keys_.size() && !keys_[i].data()) keys_[i] = Buffer<std::uint64_t>(context_.pool, count_);
  return i;
}

SortedPoints PointOrder::sort_packed(const Shift& shift, const PointSource& source, PlacedPoint* d_placed,
                                     std::span<const Shift> later) {
  const KeyLayout layout = layout_of(shift);
  std::size_t in = 0;
  if (made_ahead_.empty()) {
    in = spare_keys({});
    pack_keys(source, count_, shift, layout, keys_[in].data(), context_.stream);
    context_.timer.lap(context_.steps.encode);
  } else {
    in = made_ahead_.front();
    made_ahead_.erase(made_ahead_.begin());
  }
  const std::size_t spare = spare_keys({in});
  const bool is_in_spare = sorter_.sort(keys_[in].data(), keys_[spare].data(), count_, layout.first_sorted_bit(),
                                        layout.key_bits(), context_.stream);

  const std::size_t sorted = is_in_spare ? spare : in;
  const std::size_t placed = layout.sorts_prefix() ? sorted : spare_keys({sorted});
  Placing placing{keys_[sorted].data(), count_, shift, layout, source, d_placed, nullptr, {}, plan_.may_coarsen(),
                  channel_.d_report()};
  if (placed != sorted) placing.d_placed_keys = keys_[placed].data();
  for (const Shift& next : later) {
    const std::size_t spare_now = spare_keys({sorted, placed});
    if (spare_now == keys_.size()) break;
    made_ahead_.push_back(spare_now);
    LaterKeys& keys = placing.later;
    keys.shift_codes[keys.count] = next.dimensions == 3 ? shift_code<3>(next.cells) : shift_code<2>(next.cells);
    keys.prefix_bits[keys.count] = layout_of(next).prefix_bits;
    keys.d_keys[keys.count++] = keys_[made_ahead_.back()].data();
  }
  place_packed(placing, context_.stream);
  context_.timer.lap(context_.steps.sort);
  may_be_incomplete_ |= layout.rest_bits > 0 || !layout.sorts_prefix();
  return {keys_[placed].data(), d_placed,         count_,     layout.payload_bits,
          layout.key_bits(),    layout.rest_bits, source.grid};
}

SortedPoints PointOrder::sort_pairs(const Shift& shift, const PointSource& source, PlacedPoint* d_placed) {
  if (pair_sorter_.capacity() == 0) {
    keys_.clear();
    pair_sorter_ = PairSorter<std::uint64_t>(context_.pool, count_);
  }
  full_keys(source, nullptr, count_, shift, pair_sorter_.keys_in(), pair_sorter_.indices_in(), context_.stream);
  context_.timer.lap(context_.steps.encode);
  pair_sorter_.sort(count_, 0, shift.bits, context_.stream);
  place_indices(pair_sorter_.indices(), count_, shift.dimensions, source, d_placed, context_.stream);
  may_be_incomplete_ = false;
  context_.timer.lap(context_.steps.sort);
  return {pair_sorter_.keys(), d_placed, count_, 0, std::max(1, shift.bits - unused_bits(shift)), 0, source.grid};
}

}  // namespace kann::cuda
