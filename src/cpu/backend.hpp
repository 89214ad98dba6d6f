// The CPU backend: both methods, on all cores, with vectors.
#pragma once

#include <cstdint>
#include <memory>

#include "cpu/vector/names.hpp"
#include "problem/problem.hpp"

namespace kann::cpu {

/// Solves the problem with problem.threads threads. Blocks.
/// @throws Error resources (host memory).
Answer solve(const Problem& problem);

/// The least host memory, in bytes, that any method takes for a problem of these sizes, its rows included.
double least_bytes(const Problem& problem);

/// What decides how much memory a search takes per point.
struct OrderKind {
  int dimensions = 3;
  int shifts = 0;           ///< of the shifted sort; 0: the exact method
  bool is_rounded = false;  ///< as Problem::is_rounded()
  bool is_self = false;
  bool keeps_orders = false;  ///< by an Index
};

/// Bytes of the host's memory per point that a search takes beside the coordinates of its problem and its rows.
struct PointBytes {
  double kept = 0;      ///< per data point, by an Index, from one search to the next
  double ordering = 0;  ///< per data point, beside these, until the search that makes the order has ended
  double query = 0;     ///< per query
};

/// Clouds with a cell that has most of their points may take 20 bytes more for each while these are ordered. Measured
/// in 3-D, exact: 42 bytes per data point in float32 (46 here), 81 in float64 (73, and the copy in float32).
PointBytes point_bytes(const OrderKind& kind);

/// Bytes of the host's memory that the lists of so many neighbours take while queries are searched, by so many threads.
/// Measured with 2,000 neighbours: 640 bytes per neighbour and thread.
double list_bytes(std::int64_t neighbors, int threads);

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
