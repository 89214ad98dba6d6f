#include "flow/rows/file_answer.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <variant>
#include <vector>

#include "base/threads/parallel.hpp"
#include "flow/rows/sample_check.hpp"
#include "flow/sources/named_points.hpp"
#include "products/accuracy/block_comparison.hpp"

namespace kann::flow {

void FileAnswer::for_each(const Wanted& wanted, const std::function<void(const AnswerBlock&)>& f) const {
  const std::int64_t k = rows_.k();
  JoinedRows joined(source_, wanted, rows_.block_rows() * (k + (wanted.also ? k + 1 : 0)), f);
  if (rows_.queries() == 0) return joined.pass({.k = k});
  rows_.for_each_block([&](const Rows& rows) { joined.pass(rows); });
}

RowBlocks FileAnswer::rows() const {
  return {rows_.queries(), rows_.k(), rows_.has_wide_ids(),
          [this](const RowBlocks::Sink& sink) { rows_.for_each_block(sink); }};
}

Accuracy FileAnswer::verify(const AccuracyOptions& options) const {
  const std::int64_t sample = options.sample > 0 ? options.sample : rows_.queries();
  return measure_sample({source_.data, is_self_ ? nullptr : &source_.queries, rows(), query_skipped_, sample,
                         source_.memory.limit(), rows_.has_ranks(), &source_.memory},
                        options);
}

accuracy::CloudFacts FileAnswer::facts() const {
  constexpr std::int64_t read_points = 1 << 16;
  accuracy::FactsOfBlocks facts(source_.data.dimensions(), source_.data.size());
  source_.data.for_each_block(0, source_.data.size(), read_points,
                              [&](std::int64_t first, const PointsView& points) { facts.add_data(first, points); });
  if (is_self_)
    facts.set_queries_to_data();
  else
    source_.queries.for_each_block(0, source_.queries.size(), read_points,
                                   [&](std::int64_t, const PointsView& points) { facts.add_queries(points); });
  return facts.facts();
}

Accuracy FileAnswer::compare(formats::ReferenceFile& reference, const std::string& name,
                             const AccuracyOptions& options) const {
  accuracy::BlockComparison comparison(
      facts(), {source_.data.dimensions(), source_.data.size(), rows_.queries(), rows_.k(), reference.k(), name},
      options);
  std::vector<std::int64_t> reference_ids, also, ids;
  const auto read_reference = [&](std::int64_t first, std::int64_t count) {
    reference_ids.resize(static_cast<std::size_t>(count * reference.k()));
    reference.read_ids(first, reference_ids);
    accuracy::check_reference_ids(reference_ids, reference.k(), first, source_.data.size(), name);
    also.clear();
    also.reserve(reference_ids.size());
    std::ranges::copy_if(reference_ids, std::back_inserter(also), [](std::int64_t id) { return id != k_missing_id; });
    return std::span<const std::int64_t>(also);
  };
  const double row_bytes = compared_bytes(static_cast<double>(rows_.k()), static_cast<double>(reference.k()));
  const base::MemoryCharge charge(&source_.memory,
                                  static_cast<double>(std::min(rows_.block_rows(), rows_.queries())) * row_bytes);
  std::vector<std::int64_t> all;
  base::MemoryCharge charge_of_all;
  for_each({.queries = true, .data = true, .also = read_reference}, [&](const AnswerBlock& block) {
    std::visit([&](const auto& some) { ids.assign(some.begin(), some.end()); }, block.rows.ids);
    std::span<const std::int64_t> data_rows = block.data_rows;
    if (data_rows.empty() && block.data.points.size() > 0) {
      if (all.empty()) {
        charge_of_all = base::MemoryCharge(&source_.memory, static_cast<double>(source_.data.size() * 8));
        all.resize(static_cast<std::size_t>(source_.data.size()));
        std::iota(all.begin(), all.end(), 0);
      }
      data_rows = all;
    }
    comparison.add({block.rows.first, block.queries.points, ids, block.rows.distances, reference_ids, data_rows,
                    block.data.points});
  });
  return comparison.result();
}

}  // namespace kann::flow
