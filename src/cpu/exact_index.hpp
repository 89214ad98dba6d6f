// What the exact search descends: the data in an order, and boxes over them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kann/array.hpp"

#include "cpu/boxes.hpp"
#include "cpu/vector/host_rows.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/vector/placed_points.hpp"
#include "cpu/workspace.hpp"

namespace kann::cpu {

/// Puts both clouds in the order that makes the exact search fast at any density: along the Hilbert curve, and by a k-d
/// tree in crowded cells, or throughout where a few cells have a quarter of all points. Returns the ranks of the
/// queries in it: in a self-query, their own places. Blocks.
template <int D>
Array<std::uint32_t> order_for_exact(Workspace<D>& work);

template <int D>
class ExactIndex {
 public:
  /// Over the data of `work`, which stay there in their order. Blocks.
  explicit ExactIndex(const Workspace<D>& work);

  /// Writes the rows of `queries`, whose ids they are. Queries that follow each other should be near each other.
  /// Blocks.
  /// @param ranks of each query among the data, or its own place if the problem drops that
  /// @param known_bounds for each query, a float32 squared distance that k points do not exceed; null: find some
  void search(const PlacedView<D>& queries, const std::uint32_t* ranks, const HostRows& rows,
              const float* known_bounds = nullptr) const;

  /// Bytes of the index, of ordering what it is over, and of the searches of all threads.
  static double bytes(const Problem& problem);

 private:
  /// The data as they were given, in the same order, and their boxes.
  struct Given {
    PlacedDoubles<D> data;
    std::vector<BoxLevel<D, double>> boxes;
  };

  const Workspace<D>& work_;
  std::vector<BoxLevel<D>> boxes_;
  std::optional<Given> given_;  // where the problem is rounded
  float exact_below_;
};

}  // namespace kann::cpu
