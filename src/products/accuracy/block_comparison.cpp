#include "products/accuracy/block_comparison.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "kann/compare.hpp"
#include "kann/error.hpp"

#include "base/threads/parallel.hpp"

namespace kann {
namespace {

[[noreturn]] void refuse_rows(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::bad_input, name + ": " + what);
}

std::string number_text(std::int64_t number) { return std::to_string(number); }

template <class Id>
bool is_point(Id id, std::int64_t points) {
  return id >= k_missing_id && id < points;
}

[[noreturn]] void refuse_id(const std::string& name, std::int64_t row, std::int64_t id, std::int64_t points) {
  refuse_rows(name, "row " + number_text(row) + " has id " + number_text(id) + " (data has " + number_text(points) +
                        " points)");
}

template <class Id>
void check_ids(std::span<const Id> ids, std::int64_t k, std::int64_t first, std::int64_t points,
               const std::string& name) {
  std::vector<Id> row;
  for (std::int64_t query = first; !ids.empty(); ++query, ids = ids.subspan(static_cast<std::size_t>(k))) {
    row.assign(ids.begin(), ids.begin() + k);
    for (const Id id : row)
      if (!is_point(id, points)) refuse_id(name, query, id, points);
    std::erase(row, k_missing_id);
    std::ranges::sort(row);
    if (const auto twice = std::ranges::adjacent_find(row); twice != row.end())
      refuse_rows(name, "row " + number_text(query) + " has id " + number_text(*twice) + " twice");
  }
}

}  // namespace

void check_reference(const Neighbors& reference, std::int64_t queries, std::int64_t points, const std::string& name) {
  __extension__ using Wide = __int128;
  accuracy::check_reference_rows(reference.queries, queries, name);
  if (reference.k < 0 || reference.ids.size() != static_cast<Wide>(queries) * reference.k)
    refuse_rows(name, number_text(queries) + " rows of " + number_text(reference.k) + " neighbours do not match " +
                          number_text(std::ssize(reference.ids)) + " ids");
  check_ids(std::span<const std::int32_t>(reference.ids), reference.k, 0, points, name);
}

namespace accuracy {

void check_reference_rows(std::int64_t rows, std::int64_t queries, const std::string& name) {
  if (rows != queries)
    refuse_rows(name, "not a row per query (got " + number_text(rows) + ", need " + number_text(queries) + ")");
}

void check_reference_ids(std::span<const std::int64_t> ids, std::int64_t k, std::int64_t first, std::int64_t points,
                         const std::string& name) {
  check_ids(ids, k, first, points, name);
}

BlockComparison::BlockComparison(const CloudFacts& facts, ComparisonShape shape, const AccuracyOptions& options)
    : shape_(std::move(shape)),
      accuracy_(facts, shape_.dimensions, shape_.queries, options),
      threads_(base::thread_count(options.threads)) {
  if (options.self_query && shape_.queries != shape_.points)
    refuse_rows("accuracy", "a self-query of " + number_text(shape_.queries) + " queries (data has " +
                                number_text(shape_.points) + " points)");
}

void BlockComparison::add(const ComparedRows& rows) {
  const std::int64_t count = rows.queries.size(), k = shape_.k, reference_k = shape_.reference_k;
  if (std::ssize(rows.ids) != count * k || rows.distances.size() != rows.ids.size() ||
      std::ssize(rows.reference_ids) != count * reference_k || std::ssize(rows.data_rows) != rows.data.size())
    throw Error(ErrorKind::internal, "accuracy: a block whose rows, ids and points do not match");
  if (rows.data.size() > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorKind::resources,
                "accuracy: a block with " + number_text(rows.data.size()) + " points of the data (at most 2147483647)");
  for (std::size_t i = 0; i < rows.ids.size(); ++i)
    if (!is_point(rows.ids[i], shape_.points))
      refuse_id("accuracy", rows.first + static_cast<std::int64_t>(i) / k, rows.ids[i], shape_.points);
  check_reference_ids(rows.reference_ids, reference_k, rows.first, shape_.points, shape_.reference);

  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), rows.first);
  const PartOfClouds part{rows.data_rows, numbers};
  const Neighbors result{count, k, part.places_of(rows.ids, k, threads_),
                         Array<float>(rows.distances.begin(), rows.distances.end())};
  const Neighbors reference{count, reference_k, part.places_of(rows.reference_ids, reference_k, threads_), {}};
  accuracy_.add({rows.data, rows.queries, result, &reference, &part});
}

}  // namespace accuracy
}  // namespace kann
