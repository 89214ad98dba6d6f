// What both methods share: clouds in order before the search, rows and times after it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "kann/array.hpp"

#include "cpu/crowded_cells.hpp"
#include "cpu/order.hpp"
#include "cpu/vector/host_rows.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/vector/placed_points.hpp"
#include "problem/problem.hpp"

namespace kann::cpu {

/// Splits the time of a search among its steps.
class LapTimer {
 public:
  /// Adds the seconds since the last call to `step`.
  void lap(double& step) {
    const auto now = Clock::now();
    step += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

/// Queries per chunk of a thread. Queries of a chunk are neighbours, so that their candidates share the cache; chunks
/// are smaller where there would be too few for all threads.
inline std::int64_t query_chunk(std::int64_t queries, int threads) {
  constexpr std::int64_t maximum = 1024, teams = 16, chunks_per_thread = 8;
  return std::clamp(queries / (threads * chunks_per_thread) / teams * teams, teams, maximum);
}

/// The parts of one search that do not depend on the method.
template <int D>
class Workspace {
 public:
  explicit Workspace(const Problem& problem) : p(problem) {}

  /// Orders the data by the leading `bits` of their codes, and the queries by as many of them as fit beside an index.
  void order_clouds(int bits);

  /// Orders both along the Hilbert curve, with as many bits per axis as fit beside an index: for searches whose answer
  /// does not depend on the order. Codes have these bits.
  void order_along_hilbert();

  /// Orders the points of crowded cells, too: for searches whose answer does not depend on the order.
  void order_crowded_cells();

  const OrderedCloud<D>& queries() const { return p.self_query() ? data : own_queries; }

  /// ranks[i] = how many of the sorted keys are at most that of query i.
  void rank(ShiftKey by, const Array<std::uint64_t>& keys, Array<std::uint32_t>& ranks);

  /// The same in a self-query, whose queries are the data: keys[i] is that of place i, or of place sorter[i] if these
  /// keys were sorted last.
  void rank_data(const Array<std::uint64_t>& keys, bool are_sorted_last, Array<std::uint32_t>& ranks);

  /// Takes memory for the rows of the result.
  HostRows allocate_rows();

  /// The result; call it when all rows are written.
  Answer finish();

  /// Bytes of all this, with the result and `lists` lists per thread.
  static double bytes(const Problem& problem, int lists);

  const Problem& p;
  OrderedCloud<D> data;
  FineOrder fine;  // of the data
  ArgSorter sorter;
  Array<std::uint64_t> scratch;  // codes as read, then sort keys; kept, since a fresh page costs more than filling it
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
