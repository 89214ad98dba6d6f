// measure_accuracy() and compare(): checks of the shapes; the clouds are then a single block.
#include "kann/accuracy.hpp"

#include <iterator>
#include <limits>
#include <span>
#include <string>

#include "kann/compare.hpp"
#include "kann/error.hpp"

#include "base/float_environment.hpp"
#include "base/threads/parallel.hpp"
#include "products/accuracy/accuracy_of_blocks.hpp"
#include "products/accuracy/cloud_facts.hpp"
#include "products/accuracy/reference_tree.hpp"

namespace kann {
namespace {

void check(const Points& data, const Points& queries, const Neighbors& neighbors, const AccuracyOptions& options) {
  const auto refuse = [](const std::string& what) { throw Error(ErrorKind::bad_input, "accuracy: " + what); };
  const auto text = [](auto number) { return std::to_string(number); };

  for (const Points* points : {&data, &queries})
    if (points->dimensions != 2 && points->dimensions != 3)
      refuse("points have " + text(points->dimensions) + " coordinates (need 2 or 3)");
  if (data.dimensions != queries.dimensions)
    refuse("queries have " + text(queries.dimensions) + " coordinates (data has " + text(data.dimensions) + ")");
  if (data.size() > std::numeric_limits<std::int32_t>::max())
    refuse("too many points (got " + text(data.size()) + ", ids go to 2147483647)");
  if (options.self_query && queries.size() != data.size())
    refuse("a self-query of " + text(queries.size()) + " queries (data has " + text(data.size()) + " points)");
  if (options.groups) {
    const auto& [of_data, of_queries, rule, sets] = *options.groups;
    if (std::ssize(of_data) != data.size() || std::ssize(of_queries) != (options.self_query ? 0 : queries.size()))
      refuse("not a label per point (got " + text(of_data.size()) + " and " + text(of_queries.size()) + ")");
    for (const auto& labels : {of_data, of_queries})
      if (!sets.empty() && !labels.empty() && std::ranges::max(labels) >= std::ssize(sets))
        refuse("group " + text(std::ranges::max(labels)) + " is in no set");
  }
  if (neighbors.queries != queries.size())
    refuse("a result of " + text(neighbors.queries) + " rows (need " + text(queries.size()) + ", one a query)");
  check_rows(neighbors, "accuracy");
  for (std::size_t i = 0; i < neighbors.ids.size(); ++i)
    if (neighbors.ids[i] < k_missing_id || neighbors.ids[i] >= data.size())
      refuse("row " + text(static_cast<std::int64_t>(i) / neighbors.k) + " has id " + text(neighbors.ids[i]) +
             " (data has " + text(data.size()) + " points)");
}

Rows rows_of(const Neighbors& neighbors) {
  return {0, neighbors.queries, neighbors.k, {}, std::span<const std::int32_t>(neighbors.ids), neighbors.distances};
}

}  // namespace

Accuracy measure_accuracy(const Points& data, const Points& queries, const Neighbors& neighbors,
                          const AccuracyOptions& options) {
  check(data, queries, neighbors, options);
  const base::DefaultFloatEnvironment environment;
  accuracy::AccuracyOfBlocks block(accuracy::facts_of(data, queries), data.dimensions, queries.size(), options);
  const accuracy::JudgedClouds clouds = block.clouds_of({data, queries, rows_of(neighbors)});
  const accuracy::ReferenceTree tree(clouds, base::thread_count(options.threads));
  block.add(clouds, [&](std::int64_t query, auto& nearest) { tree.find(query, nearest); });
  return block.result();
}

Accuracy compare(const Points& data, const Points& queries, const Neighbors& result, const Neighbors& reference,
                 const AccuracyOptions& options) {
  check(data, queries, result, options);
  check_reference(reference, queries.size(), data.size(), "the reference", options.images);
  const base::DefaultFloatEnvironment environment;
  accuracy::AccuracyOfBlocks block(accuracy::facts_of(data, queries), data.dimensions, queries.size(), options);
  block.add(block.clouds_of({data, queries, rows_of(result), rows_of(reference)}), nullptr);
  return block.result();
}

}  // namespace kann
