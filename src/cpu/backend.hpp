// The CPU backend: both methods, on all cores, with vectors.
#pragma once

#include <memory>

#include "cpu/vector/names.hpp"
#include "problem/problem.hpp"

namespace kann::cpu {

/// Solves the problem with problem.threads threads. Blocks.
/// @throws Error resources (host memory).
Answer solve(const Problem& problem);

/// The least host memory, in bytes, that any method takes for a problem of these sizes, its rows included.
double least_bytes(const Problem& problem);

/// The orders of one cloud of data: the first problem that needs an order makes it, and later problems use it again.
class Index {
 public:
  Index();
  ~Index();
  Index(const Index&) = delete;
  Index& operator=(const Index&) = delete;

  /// As cpu::solve(). The data of all problems must be the same, in the same memory. May be called by several threads.
  Answer solve(const Problem& problem);

  /// Whether an earlier problem has made the orders of the data that the method of this one needs.
  bool has_orders_for(const Problem& problem) const;

 private:
  struct Orders;
  std::unique_ptr<Orders> orders_;
};

}  // namespace kann::cpu
