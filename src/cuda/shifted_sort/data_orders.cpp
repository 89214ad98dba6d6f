#include "cuda/shifted_sort/data_orders.hpp"

#include <utility>

#include "cuda/order/point_order.hpp"
#include "cuda/shifted_sort/select.hpp"

namespace kann::cuda {
namespace {

ShiftOrders::Order make_order(SearchContext& data, const Shift& shift, const PlacedPoint* d_first) {
  const Problem& p = data.problem;
  ShiftOrders::Order order{Buffer<PlacedPoint>(data.pool, p.data_count), {}, PrefixTable(data.pool, p.data_count)};
  const PointSource source{data.d_data(), d_first, p.grid};
  order.keys = PointOrder(data, p.data_count, Scratch(data.pool)).keep_order(shift, source, order.placed.data());
  order.table.fill(order.keys.points, data.stream);
  return order;
}

}  // namespace

ShiftOrders* DataOrders::of(const Problem& p) {
  if (p.shifts > k_shifts_at_once || p.bits != morton_curve(p.dimensions).bits) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto found = by_shifts_.find(p.shifts);
  if (found != by_shifts_.end()) return &found->second;
  ShiftOrders made;
  for (int j = 0; j < p.shifts; ++j)
    made.orders.push_back(make_order(data_, shift_of(p, j), j > 0 ? made.orders[0].placed.data() : nullptr));
  data_.stream.synchronize();  // searches have streams of their own
  return &by_shifts_.emplace(p.shifts, std::move(made)).first->second;
}

template <class Real>
const exact::Index<Real>& DataOrders::over_first(ShiftOrders& orders) {
  const std::lock_guard lock(mutex_);
  auto& index = std::get<std::optional<exact::Index<Real>>>(orders.over_first);
  if (!index) {
    index.emplace(data_, orders.orders[0].placed.data());
    data_.stream.synchronize();
  }
  return *index;
}

template const exact::Index<float>& DataOrders::over_first(ShiftOrders&);
template const exact::Index<double>& DataOrders::over_first(ShiftOrders&);

}  // namespace kann::cuda
