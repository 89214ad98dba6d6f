#include "flow/rows/judge.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <variant>
#include <vector>

#include "kann/compare.hpp"
#include "kann/error.hpp"

#include "base/host_memory.hpp"
#include "flow/rows/sample_check.hpp"
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

/// nanoflann builds a tree on one thread, 10⁸ points in 53 s. If few queries are judged, trees of parts of the data are
/// built side by side, and each of them is searched for all of these queries.
Accuracy verify_in_memory(const Found& found, std::int64_t query_skipped, const AccuracyOptions& options) {
  const Points &data = found.described_data().points, &queries = found.described_queries().points;
  constexpr std::int64_t points_per_query = 16;
  const bool are_few = options.sample > 0 && options.sample < data.size() / points_per_query;
  if (!are_few || options.groups || found.query_count() <= options.sample)
    return measure_accuracy(data, queries, *found.neighbors(), options);
  const SourceInMemory all(data), asked(queries);
  return measure_sample({all, options.self_query ? nullptr : &asked, found.rows(), query_skipped, options.sample,
                         static_cast<double>(base::available_host_memory())},
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
  const std::int64_t k = found.rows().k, points = files.data.size();
  accuracy::BlockComparison comparison(
      facts_of(files), {files.data.dimensions(), points, found.query_count(), k, reference.k(), name}, options);
  std::vector<std::int64_t> reference_ids, also, ids;
  const auto read_reference = [&](std::int64_t first, std::int64_t count) {
    reference_ids.resize(static_cast<std::size_t>(count * reference.k()));
    reference.read_ids(first, reference_ids);
    accuracy::check_reference_ids(reference_ids, reference.k(), first, points, name);
    also.clear();
    also.reserve(reference_ids.size());
    std::ranges::copy_if(reference_ids, std::back_inserter(also), [](std::int64_t id) { return id != k_missing_id; });
    return std::span<const std::int64_t>(also);
  };
  const double row_bytes = compared_bytes(static_cast<double>(k), static_cast<double>(reference.k()));
  const base::MemoryCharge charge(&files.memory,
                                  static_cast<double>(std::min(files.block_rows, found.query_count())) * row_bytes);
  std::vector<std::int64_t> all;
  base::MemoryCharge charge_of_all;
  found.for_each({.queries = true, .data = true, .also = read_reference}, [&](const FoundBlock& block) {
    std::visit([&](const auto& some) { ids.assign(some.begin(), some.end()); }, block.rows.ids);
    std::span<const std::int64_t> data_rows = block.data_rows;
    if (data_rows.empty() && block.data.points.size() > 0) {
      if (all.empty()) {
        charge_of_all = base::MemoryCharge(&files.memory, static_cast<double>(points * 8));
        all.resize(static_cast<std::size_t>(points));
        std::iota(all.begin(), all.end(), 0);
      }
      data_rows = all;
    }
    comparison.add({block.rows.first, block.queries.points, ids, block.rows.distances, reference_ids, data_rows,
                    block.data.points});
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
                         sample, files->memory.limit(), files->has_ranks, &files->memory},
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
