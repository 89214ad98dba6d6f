#include "cpu/backend.hpp"

#include "cpu/methods.hpp"
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

}  // namespace

Answer solve(const Problem& problem) {
  return problem.dimensions == 3 ? solve_once<3>(problem) : solve_once<2>(problem);
}

double least_bytes(const Problem& problem) {
  constexpr int lists = 1;  // per thread; methods have more
  return problem.dimensions == 3 ? Workspace<3>::bytes(problem, lists) : Workspace<2>::bytes(problem, lists);
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
