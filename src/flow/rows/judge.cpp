#include "flow/rows/judge.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <variant>
#include <vector>

#include "kann/compare.hpp"
#include "kann/error.hpp"

#include "flow/rows/sample_check.hpp"
#include "products/accuracy/accuracy_of_blocks.hpp"
#include "products/accuracy/check_reference.hpp"
#include "products/accuracy/cloud_facts.hpp"

namespace kann::flow {
namespace {

class SourceInMemory final : public PointSource {
 public:
  explicit SourceInMemory(const PointsView& points) : points_(points) {}

  const std::string& name() const override { return name_; }
  int dimensions() const override { return points_.dimensions; }
  bool is_float64() const override { return std::holds_alternative<std::span<const double>>(points_.coordinates); }
  std::int64_t size() const override { return points_.size(); }
  void for_each_block(std::int64_t begin, std::int64_t end, std::int64_t most, const Block& f) const override {
    for (; begin < end; begin += most) f(begin, points_.part(begin, std::min(end, begin + most)));
  }

 private:
  const PointsView points_;
  const std::string name_;
};

/// nanoflann builds a tree on one thread, 10⁸ points in 53 s. If few queries are judged, the data pass their balls.
Accuracy verify_in_memory(const Found& found, std::int64_t query_skipped, const AccuracyOptions& options) {
  const Points &data = found.described_data().points, &queries = found.described_queries().points;
  constexpr std::int64_t points_per_query = 16;
  const bool are_few = options.sample > 0 && options.sample < data.size() / points_per_query;
  if (!are_few || options.groups || found.query_count() <= options.sample)
    return measure_accuracy(data, queries, *found.neighbors(), options);
  const SourceInMemory all(data), asked(queries);
  return measure_sample({all, options.self_query ? nullptr : &asked, found.rows(), query_skipped, options.sample},
                        options);
}

accuracy::CloudFacts facts_of(const FoundInFiles& files) {
  constexpr std::int64_t read_points = 1 << 16;
  accuracy::FactsOfBlocks facts(files.data.dimensions(), files.data.size());
  files.data.for_each_block(0, files.data.size(), read_points,
                            [&](std::int64_t first, const PointsView& points) { facts.add_data(first, points); });
  if (&files.queries == &files.data)
    facts.set_queries_to_data();
  else
    files.queries.for_each_block(0, files.queries.size(), read_points,
                                 [&](std::int64_t, const PointsView& points) { facts.add_queries(points); });
  return facts.facts();
}

Accuracy compare_from_files(const Found& found, formats::ReferenceFile& reference, const std::string& name,
                            const AccuracyOptions& options) {
  const FoundInFiles& files = *found.files();
  const std::int64_t points = files.data.size();
  accuracy::AccuracyOfBlocks comparison(facts_of(files), files.data.dimensions(), found.query_count(), options);
  std::vector<std::int64_t> reference_ids, also;
  const auto read_reference = [&](std::int64_t first, std::int64_t count) {
    reference_ids.resize(static_cast<std::size_t>(count * reference.k()));
    reference.read_ids(first, reference_ids);
    accuracy::check_reference_ids(reference_ids, reference.k(), first, points, options.images, name);
    also.clear();
    also.reserve(reference_ids.size());
    std::ranges::copy_if(reference_ids, std::back_inserter(also), [](std::int64_t id) { return id != k_missing_id; });
    return std::span<const std::int64_t>(also);
  };
  const double row_bytes = compared_bytes(static_cast<double>(reference.k()));
  const base::MemoryCharge charge(&files.memory,
                                  static_cast<double>(std::min(files.block_rows, found.query_count())) * row_bytes);
  found.for_each({.queries = true, .data = true, .also = read_reference}, [&](const FoundBlock& block) {
    Rows stored = block.rows;
    stored.k = reference.k();
    stored.ids = std::span<const std::int64_t>(reference_ids);
    stored.distances = {};
    comparison.add(comparison.clouds_of({block.data.points, block.queries.points, block.rows, stored, block.data_rows}),
                   nullptr);
  });
  return comparison.result();
}

void check_can_be_judged(const Found& found) {
  if (found.rows().k == 0 || (!found.files() && !found.neighbors()))
    throw Error(ErrorKind::internal, "rows without neighbours, or of any length, are not judged");
}

}  // namespace

Accuracy verify(const Found& found, std::int64_t query_skipped, const AccuracyOptions& options) {
  check_can_be_judged(found);
  const FoundInFiles* const files = found.files();
  if (!files) return verify_in_memory(found, query_skipped, options);
  const std::int64_t sample = options.sample > 0 ? options.sample : found.query_count();
  return measure_sample({files->data, options.self_query ? nullptr : &files->queries, found.rows(), query_skipped,
                         sample, &files->memory},
                        options);
}

Accuracy compare(const Found& found, formats::ReferenceFile& reference, const std::string& name,
                 const AccuracyOptions& options) {
  check_can_be_judged(found);
  if (found.files()) return compare_from_files(found, reference, name, options);
  Neighbors rows{reference.queries(), reference.k(), {}, {}};
  rows.ids.resize(static_cast<std::size_t>(rows.queries * rows.k));
  reference.read_ids(0, rows.ids);
  return kann::compare(found.described_data().points, found.described_queries().points, *found.neighbors(), rows,
                       options);
}

}  // namespace kann::flow
