#include "cpu/backend.hpp"

#include <algorithm>

#include "cpu/exact_index.hpp"
#include "cpu/methods.hpp"
#include "cpu/nearest/boxes.hpp"
#include "cpu/order/crowded_cells.hpp"
#include "cpu/order/keys.hpp"
#include "cpu/shift_orders.hpp"
#include "cpu/workspace.hpp"

namespace kann::cpu {
namespace {

template <int D>
Answer solve_by_method(const Problem& problem, DataOrders<D>& data) {
  return problem.method == Method::exact ? exact(problem, data) : shifted_sort(problem, data);
}

template <int D>
Answer solve_once(const Problem& problem) {
  DataOrders<D> data(false);
  return solve_by_method(problem, data);
}

template <int D>
PointBytes exact_bytes(const OrderKind& kind) {
  constexpr double code = sizeof(std::uint64_t), rank = sizeof(std::uint32_t);
  constexpr double ordered = Placed<D>::bytes_per_point + code;
  PointBytes bytes{.kept = ordered + k_fine_order_bytes_per_point + k_box_bytes_per_point<D, float>,
                   .ordering = ArgSorter::bytes_per_point,
                   .query = rank};
  if (!kind.is_self || kind.keeps_orders) bytes.kept += RankTable::bytes_per_key;
  if (kind.is_rounded) bytes.kept += PlacedDoubles<D>::bytes_per_point + k_box_bytes_per_point<D, double>;
  if (!kind.is_self) bytes.query += ordered + ArgSorter::bytes_per_point;
  return bytes;
}

/// The orders of the shifts, and those of the exact search of a sample, which an Index keeps beside them.
template <int D>
PointBytes shifted_bytes(const OrderKind& kind) {
  constexpr double code = sizeof(std::uint64_t), rank = sizeof(std::uint32_t);
  const PointBytes exact = exact_bytes<D>(kind);
  const double orders =
      Placed<D>::bytes_per_point + code + ShiftOrders<D>::bytes_per_point(kind.shifts, kind.keeps_orders);
  PointBytes bytes{.kept = kind.keeps_orders ? orders + exact.kept : std::max(orders, exact.kept),
                   .ordering = ArgSorter::bytes_per_point + code + RankTable::bytes_per_key,
                   .query = rank * kind.shifts};
  if (!kind.is_self) bytes.query += Placed<D>::bytes_per_point + 2 * code + ArgSorter::bytes_per_point;
  return bytes;
}

}  // namespace

PointBytes point_bytes(const OrderKind& kind) {
  if (kind.shifts > 0) return kind.dimensions == 3 ? shifted_bytes<3>(kind) : shifted_bytes<2>(kind);
  return kind.dimensions == 3 ? exact_bytes<3>(kind) : exact_bytes<2>(kind);
}

Answer solve(const Problem& problem) {
  return problem.dimensions == 3 ? solve_once<3>(problem) : solve_once<2>(problem);
}

double least_bytes(const Problem& problem) {
  constexpr int lists = 1;  // per thread; methods have more
  return problem.dimensions == 3 ? Workspace<3>::bytes(problem, lists) : Workspace<2>::bytes(problem, lists);
}

double list_bytes(std::int64_t neighbors, int threads) {
  return (k_list_bytes * k_nearest_team + k_nearest_bytes) * static_cast<double>(neighbors) * threads;
}

struct Index::Orders {
  DataOrders<2> planar{true};
  DataOrders<3> spatial{true};
};

Index::Index() : orders_(std::make_unique<Orders>()) {}
Index::~Index() = default;

Answer Index::solve(const Problem& problem) {
  return problem.dimensions == 3 ? solve_by_method(problem, orders_->spatial)
                                 : solve_by_method(problem, orders_->planar);
}

bool Index::has_orders_for(const Problem& problem) const {
  return problem.dimensions == 3 ? orders_->spatial.has(problem.method) : orders_->planar.has(problem.method);
}

}  // namespace kann::cpu
