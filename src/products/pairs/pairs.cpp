#include "kann/pairs.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kann/error.hpp"

namespace kann {
namespace {

constexpr float k_no_distance = std::numeric_limits<float>::infinity();

void check_id(std::int64_t id, std::int64_t points) {
  if (id < 0 || id >= points)
    throw Error(ErrorKind::bad_input, "pairs: neighbour " + std::to_string(id) + ", but there are " +
                                          std::to_string(points) +
                                          " points: are these the neighbours among other data?");
}

Neighbors no_pairs(std::int64_t queries) {
  const auto count = static_cast<std::size_t>(queries);
  return {queries, 1, Array<std::int32_t>(count, k_missing_id), Array<float>(count, k_no_distance)};
}

/// The neighbours of a query, nearest first.
struct Row {
  const std::int32_t* ids;
  const float* distances;
  std::int64_t size;  ///< without missing neighbours
};

/// Each query proposes to its neighbours in their order, until one has no partner, or a worse one, which then proposes
/// to its next neighbour. The order of the queries does not change the pairs.
/// @param row_of returns the Row of a query
template <class RowOf>
Neighbors matching(std::int64_t queries, std::int64_t data_points, const RowOf& row_of) {
  constexpr std::int64_t none = -1;
  std::vector<std::int64_t> partner_of(static_cast<std::size_t>(data_points), none);
  std::vector<std::int64_t> asked(static_cast<std::size_t>(queries), 0);  // neighbours that a query has proposed to
  const auto distance = [&](std::int64_t query) {                         // to the neighbour that it has asked last
    return row_of(query).distances[asked[static_cast<std::size_t>(query)] - 1];
  };
  for (std::int64_t first = 0; first < queries; ++first) {
    for (std::int64_t query = first; query != none;) {
      const Row row = row_of(query);
      std::int64_t& next = asked[static_cast<std::size_t>(query)];
      if (next == row.size) break;
      const std::int64_t id = row.ids[next++];
      check_id(id, data_points);
      std::int64_t& partner = partner_of[static_cast<std::size_t>(id)];
      if (partner == none || std::pair(distance(query), query) < std::pair(distance(partner), partner))
        std::swap(query, partner);
    }
  }
  Neighbors pairs = no_pairs(queries);
  for (std::int64_t id = 0; id < data_points; ++id)
    if (const std::int64_t query = partner_of[static_cast<std::size_t>(id)]; query != none) {
      pairs.ids[static_cast<std::size_t>(query)] = static_cast<std::int32_t>(id);
      pairs.distances[static_cast<std::size_t>(query)] = distance(query);
    }
  return pairs;
}

}  // namespace

Neighbors mutual_pairs(const Neighbors& of_queries, const Neighbors& of_data) {
  for (const Neighbors* const rows : {&of_queries, &of_data})
    if (rows->k != 1)
      throw Error(ErrorKind::bad_input,
                  "pairs: rows of the nearest neighbour alone are needed, not of " + std::to_string(rows->k));
  Neighbors pairs = no_pairs(of_queries.queries);
  for (std::int64_t query = 0; query < of_queries.queries; ++query) {
    const auto place = static_cast<std::size_t>(query);
    const std::int32_t id = of_queries.ids[place];
    if (id == k_missing_id) continue;
    check_id(id, of_data.queries);
    if (of_data.ids[static_cast<std::size_t>(id)] != query) continue;
    pairs.ids[place] = id;
    pairs.distances[place] = of_queries.distances[place];
  }
  return pairs;
}

OneToOnePairs one_to_one_pairs(const Neighbors& rows, std::int64_t data_points) {
  const auto row_of = [&](std::int64_t query) {
    Row row{rows.ids.data() + query * rows.k, rows.distances.data() + query * rows.k, rows.k};
    while (row.size > 0 && row.ids[row.size - 1] == k_missing_id) --row.size;
    return row;
  };
  OneToOnePairs out{matching(rows.queries, data_points, row_of)};
  for (std::int64_t query = 0; rows.k < data_points && query < rows.queries; ++query)
    out.cut_off += out.pairs.ids[static_cast<std::size_t>(query)] == k_missing_id && row_of(query).size == rows.k;
  return out;
}

OneToOnePairs one_to_one_pairs(const ListBlock& lists, std::int64_t data_points) {
  const std::int64_t queries = std::ssize(lists.begins) - 1;
  const std::span<const std::int32_t>* const ids = std::get_if<std::span<const std::int32_t>>(&lists.ids);
  if (!ids) throw Error(ErrorKind::usage, "pairs of lists have ids of 32 bits");
  return {matching(std::max<std::int64_t>(queries, 0), data_points, [&](std::int64_t query) {
    const std::int64_t* const ends = lists.begins.data() + query;
    const std::int64_t begin = ends[0] - lists.begins[0];
    return Row{ids->data() + begin, lists.distances.data() + begin, ends[1] - ends[0]};
  })};
}

}  // namespace kann
