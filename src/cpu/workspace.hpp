// What both methods do: clouds in order before, rows and times after.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "kann/array.hpp"

#include "cpu/host_rows.hpp"
#include "cpu/names.hpp"
#include "cpu/order.hpp"
#include "cpu/placed_points.hpp"
#include "problem/problem.hpp"

namespace kann::cpu {

/// Adds the time since the last call to a step.
class LapTimer {
 public:
  void lap(double& step) {
    const auto now = Clock::now();
    step += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

/// Queries that a thread takes at a time: neighbours in their order, whose candidates overlap in the cache; fewer
/// where there would not be enough for all threads.
inline std::int64_t query_chunk(const Problem& p) {
  constexpr std::int64_t maximum = 1024, teams = 16, chunks_per_thread = 8;
  return std::clamp(p.query_count / (p.threads * chunks_per_thread) / teams * teams, teams, maximum);
}

/// A cloud in the order of its codes.
template <int D>
struct OrderedCloud {
  Placed<D> points;  // ids: rows of the input
  Array<std::uint64_t> codes;
};

/// The state of one search that does not depend on the method.
template <int D>
class Workspace {
 public:
  explicit Workspace(const Problem& problem) : p(problem) {}

  /// Puts the data in the order of the leading `bits` of their codes, and the queries in about that order.
  void order_clouds(int bits);

  /// Puts both along the Hilbert curve, in as many of its bits_per_axis as fit beside a place: for searches whose
  /// answer does not depend on the order. Codes are those of these bits_per_axis.
  void order_along_hilbert();

  /// Puts near points that share a cell near each other, for searches whose answer does not depend on the order.
  void order_crowded_cells();

  const OrderedCloud<D>& queries() const { return p.self_query() ? data : own_queries; }

  /// ranks[i] = how many of the sorted keys are at most that of query i.
  void rank(ShiftKey by, const Array<std::uint64_t>& keys, Array<std::uint32_t>& ranks);

  /// The rows of the result, to be written.
  HostRows allocate_rows();

  /// The result, when all rows are written.
  Answer finish();

  /// Bytes of all this, the result and `lists` lists a thread included.
  static double bytes(const Problem& problem, int lists);

  const Problem& p;
  OrderedCloud<D> data;
  ArgSorter sorter;
  Array<std::uint64_t> scratch;  // codes as read, then sort keys; kept, since a fresh page costs more than its use
  Answer answer;
  LapTimer watch;

 private:
  void order(const float* points, std::int64_t count, ShiftKey by, bool roughly, OrderedCloud<D>& cloud);
  void order_along_hilbert(const float* points, std::int64_t count, int bits_per_axis, OrderedCloud<D>& cloud);

  OrderedCloud<D> own_queries;
  RankTable ranks_;
};

/// The answer by each method. Blocks.
template <int D>
Answer shifted_sort(const Problem& problem);
template <int D>
Answer exact(const Problem& problem);

}  // namespace kann::cpu
