// What the exact search descends: the data in an order, and boxes over them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kann/array.hpp"

#include "cpu/nearest/boxes.hpp"
#include "cpu/nearest/nearest.hpp"
#include "cpu/order/order.hpp"
#include "cpu/vector/host_rows.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/vector/placed_points.hpp"
#include "problem/problem.hpp"

namespace kann::cpu {

/// Bytes that a thread takes per neighbour in addition to the lists of Workspace: the first distances, twice (24 bytes
/// per place of the lists of a team), and the candidates and lists of one query.
inline constexpr double k_nearest_bytes = 2 * 12.0 * k_nearest_team + 2 * 16 + 3 * 16 + 2 * 16;

template <int D>
class ExactIndex {
 public:
  /// Builds the index over data in an order in which neighbours are near each other; the data must outlive the index.
  /// Blocks.
  ExactIndex(const Problem& problem, const Placed<D>& data);

  /// Adds what the index lacks for another problem with the same data: it may be rounded where those before were not.
  /// Other threads may search problems that the index was ready for. Blocks.
  void prepare_for(const Problem& problem);

  /// Writes the rows of `queries`, whose ids are the numbers of these rows. Queries that follow each other should be
  /// near each other. May be called by several threads. Blocks.
  /// @param ranks for each query, its rank among the data, or its own place there if the problem drops that point
  void search(const Problem& problem, const PlacedView<D>& queries, const std::uint32_t* ranks,
              const HostRows& rows) const;

  /// All neighbours of the queries within Problem::list_radius; parameters as those of search(). Blocks.
  NeighborLists search_within(const Problem& problem, const PlacedView<D>& queries, const std::uint32_t* ranks) const;

 private:
  /// The data as they were given, in the same order, and their boxes.
  struct Given {
    PlacedDoubles<D> data;
    std::vector<BoxLevel<D, double>> boxes;
  };

  NearestSearch<D> search_of(const Problem& problem, const PlacedView<D>& queries, const std::uint32_t* ranks) const;

  const Placed<D>& data_;
  std::vector<BoxLevel<D>> boxes_;
  std::optional<Given> given_;                   // for problems that are rounded
  std::optional<std::optional<int>> data_step_;  // the result of lattice_step(), for others
};

}  // namespace kann::cpu
