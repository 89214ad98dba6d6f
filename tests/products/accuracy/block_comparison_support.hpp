// Shared by the tests of comparisons in blocks: clouds, results and references that have every fault, and their
// comparison.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "clouds.hpp"
#include "products/accuracy/accuracy_of_blocks.hpp"
#include "products/accuracy/check_reference.hpp"
#include "products/accuracy/exact_answer.hpp"

namespace kann::test {

using Ids = std::vector<std::int64_t>;

/// Some points of a cloud, of its own type.
inline Points points_at(const Points& cloud, const Ids& rows) {
  return std::visit(
      [&](const auto& all) {
        std::decay_t<decltype(all)> some;
        for (const std::int64_t row : rows)
          some.insert(some.end(), all.begin() + row * cloud.dimensions, all.begin() + (row + 1) * cloud.dimensions);
        return Points{cloud.dimensions, std::move(some)};
      },
      cloud.coordinates);
}
inline Points points_from(const Points& cloud, std::int64_t begin, std::int64_t end) {
  Ids rows;
  for (std::int64_t row = begin; row < end; ++row) rows.push_back(row);
  return points_at(cloud, rows);
}

/// What is compared.
struct Comparison {
  Points data, queries;
  Neighbors result, reference;
  AccuracyOptions options = {};
};

/// Compares in blocks of `block` rows. `offset` is added to the numbers of all data points.
inline Accuracy compared_in_blocks(const Comparison& c, std::int64_t block, std::int64_t offset = 0) {
  const std::int64_t n = c.queries.size(), k = c.result.k, reference_k = c.reference.k;
  accuracy::FactsOfBlocks facts(c.data.dimensions, c.data.size());
  for (std::int64_t row = 0; row < c.data.size(); row += block)
    facts.add_data(row, points_from(c.data, row, std::min(c.data.size(), row + block)));
  for (std::int64_t row = 0; row < n; row += block)
    facts.add_queries(points_from(c.queries, row, std::min(n, row + block)));
  accuracy::AccuracyOfBlocks comparison(facts.facts(), c.data.dimensions, n, c.options);
  for (std::int64_t first = 0; first < n; first += block) {
    const std::int64_t end = std::min(n, first + block);
    const Ids ids(c.result.ids.begin() + first * k, c.result.ids.begin() + end * k),
        reference_ids(c.reference.ids.begin() + first * reference_k, c.reference.ids.begin() + end * reference_k);
    Ids rows = ids;
    rows.insert(rows.end(), reference_ids.begin(), reference_ids.end());
    if (c.data.size() > 0) rows.push_back(first % c.data.size());  // a point that need not be there
    std::erase(rows, k_missing_id);
    std::ranges::sort(rows);
    rows.erase(std::ranges::unique(rows).begin(), rows.end());
    const Points data = points_at(c.data, rows), queries = points_from(c.queries, first, end);
    const auto moved = [offset](Ids all) {
      for (std::int64_t& id : all) id += id == k_missing_id ? 0 : offset;
      return all;
    };
    const Ids moved_ids = moved(ids), moved_reference = moved(reference_ids), moved_rows = moved(rows);
    const std::span<const float> distances(c.result.distances);
    accuracy::check_reference_ids(moved_reference, reference_k, first, c.data.size() + offset, Images::nearest,
                                  "the reference");
    comparison.add(comparison.clouds_of({data,
                                         queries,
                                         {first,
                                          end - first,
                                          k,
                                          {},
                                          std::span(moved_ids),
                                          distances.subspan(static_cast<std::size_t>(first * k), moved_ids.size())},
                                         Rows{first, end - first, reference_k, {}, std::span(moved_reference), {}},
                                         moved_rows}),
                   nullptr);
  }
  return comparison.result();
}

inline Points with_invalid(Points points, std::uint64_t seed) {
  Random r(seed);
  std::visit(
      [&](auto& all) {
        for (auto& x : all)
          if (r.below(20) == 0) x = r.below(2) ? std::numeric_limits<float>::quiet_NaN() : -HUGE_VALF;
      },
      points.coordinates);
  return points;
}

inline Points as_given(const Coordinates& c, int d, bool is_float64, std::uint64_t seed) {
  if (!is_float64) return with_invalid(to_points(c, d), seed);
  std::vector<double> doubles;
  for (const float x : c) doubles.push_back(1.1 * x);
  return with_invalid(to_doubles(doubles, d), seed);
}

/// Makes some rows of a result wrong, each in one of many ways.
inline void spoil(Neighbors& rows, std::int64_t points, std::uint64_t seed) {
  Random r(seed);
  for (std::int64_t q = 0; q < rows.queries && rows.k > 0 && points > 0; ++q) {
    const std::int64_t rank = q * rows.k + static_cast<std::int64_t>(r.below(static_cast<std::uint64_t>(rows.k)));
    std::int32_t& id = rows.ids[rank];
    float& distance = rows.distances[rank];
    switch (r.below(12)) {
      case 0:
        id = static_cast<std::int32_t>(r.below(static_cast<std::uint64_t>(points)));
        break;
      case 1:
        id = k_missing_id;
        break;
      case 2:
        distance *= 1.5f;
        break;
      case 3:
        distance = std::numeric_limits<float>::quiet_NaN();
        break;
      case 4:
        id = rows.ids[q * rows.k];
        break;
      case 5:
        std::swap(id, rows.ids[q * rows.k]);
        break;
      case 6:
        distance = -distance;
        break;
      case 7:
        id = static_cast<std::int32_t>(q % points);  // in a self-query, the query itself
        break;
    }
  }
}

/// Makes some neighbours of a reference farther or missing, so that no id is twice in its row.
inline void weaken(Neighbors& rows, std::int64_t points, std::uint64_t seed) {
  Random r(seed);
  for (std::int64_t q = 0; q < rows.queries; ++q)
    for (std::int64_t rank = 0; rank < rows.k; ++rank) {
      if (r.below(8) > 0) continue;
      const auto begin = rows.ids.begin() + q * rows.k;
      const auto id = static_cast<std::int32_t>(r.below(static_cast<std::uint64_t>(points + 1))) - 1;
      if (id == k_missing_id || std::find(begin, begin + rows.k, id) == begin + rows.k) begin[rank] = id;
    }
}

inline Comparison usual(std::int64_t n = 300) {
  Comparison c;
  c.data = as_given(uniform(n, 3, 1), 3, true, 1);
  c.queries = as_given(uniform(200, 3, 2), 3, true, 2);
  c.result = exact_answer(c.data, c.queries, 4);
  c.reference = c.result;
  spoil(c.result, n, 3);
  weaken(c.reference, n, 4);
  return c;
}

}  // namespace kann::test
