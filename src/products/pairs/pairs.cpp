#include "kann/pairs.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <variant>
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

/// Each query proposes to its neighbours in their order, until one has no partner, or a worse one, which then proposes
/// to its next neighbour. The order of the queries does not change the pairs.
Neighbors matching(const Rows& rows, std::int64_t data_points) {
  constexpr std::int64_t none = -1;
  std::vector<std::int64_t> partner_of(static_cast<std::size_t>(data_points), none);
  std::vector<std::size_t> asked(static_cast<std::size_t>(rows.count), 0);  // neighbours that a query has proposed to
  const auto distance = [&](std::int64_t query) {                           // to the neighbour that it has asked last
    return rows.distances[rows.row(query).first + asked[static_cast<std::size_t>(query)] - 1];
  };
  for (std::int64_t first = 0; first < rows.count; ++first) {
    for (std::int64_t query = first; query != none;) {
      const auto [begin, end] = rows.row(query);
      std::size_t& next = asked[static_cast<std::size_t>(query)];
      if (begin + next == end) break;
      const std::int64_t id = rows.id(begin + next++);
      check_id(id, data_points);
      std::int64_t& partner = partner_of[static_cast<std::size_t>(id)];
      if (partner == none || std::pair(distance(query), query) < std::pair(distance(partner), partner))
        std::swap(query, partner);
    }
  }
  Neighbors pairs = no_pairs(rows.count);
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

OneToOnePairs one_to_one_pairs(const Rows& rows, std::int64_t data_points) {
  if (!std::holds_alternative<std::span<const std::int32_t>>(rows.ids))
    throw Error(ErrorKind::usage, "pairs of lists have ids of 32 bits");
  OneToOnePairs out{matching(rows, data_points)};
  const auto places = static_cast<std::size_t>(rows.k);
  for (std::int64_t query = 0; rows.begins.empty() && rows.k < data_points && query < rows.count; ++query) {
    const auto [begin, end] = rows.row(query);
    out.cut_off += out.pairs.ids[static_cast<std::size_t>(query)] == k_missing_id && end - begin == places;
  }
  return out;
}

}  // namespace kann
