#include "flow/rows/file_answer.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <variant>
#include <vector>

#include "base/threads/parallel.hpp"
#include "flow/rows/sample_check.hpp"
#include "flow/sources/named_points.hpp"
#include "products/accuracy/block_comparison.hpp"

namespace kann::flow {
namespace {

/// The numbers of all points that the rows name.
void append_ids(const RowBlock& rows, std::vector<std::int64_t>& numbers) {
  std::visit(
      [&](const auto& ids) {
        std::ranges::copy_if(ids, std::back_inserter(numbers), [](auto id) { return id != k_missing_id; });
      },
      rows.ids);
}

}  // namespace

Cloud FileAnswer::read_queries(std::int64_t first, std::int64_t count) const {
  const base::MemoryCharge charge(&memory_, queries_.buffer_bytes());
  return queries_.read(first, count);
}

void FileAnswer::for_each(const Wanted& wanted, const std::function<void(const AnswerBlock&)>& f) const {
  const std::int64_t k = rows_.k();
  std::optional<NamedPoints> named;
  if (wanted.data) named.emplace(data_, rows_.block_rows() * (k + (wanted.also ? k + 1 : 0)), threads_, &memory_);
  std::int64_t number = 0;
  const auto pass = [&](std::int64_t first, const RowBlock& rows) {
    const std::int64_t count = std::ssize(rows.distances) / k;
    const double query = bytes_per_point(queries_);
    const double row = row_bytes(static_cast<double>(k), wanted.queries ? query : 0) + products_.bytes_per_row(query);
    const base::MemoryCharge charge(&memory_, static_cast<double>(count) * row);
    base::MemoryCharge copies(&memory_, 0);
    if (named) {
      std::vector<std::int64_t> numbers;
      const auto also = wanted.also ? wanted.also(first, count) : std::span<const std::int64_t>();
      const std::size_t most = named->keeps_all() ? 0 : rows.distances.size() + also.size();
      const base::MemoryCharge naming(&memory_, NamedPoints::naming_bytes(static_cast<double>(most)));
      numbers.reserve(most);
      if (most > 0) {
        append_ids(rows, numbers);
        std::ranges::copy(also, std::back_inserter(numbers));
      }
      named->pick(std::move(numbers));
      copies.resize(static_cast<double>(named->cloud().points.size()) * products_.data_copies);
    }
    Neighbors neighbors{count, k, Array<std::int32_t>(rows.distances.size()),
                        Array<float>(rows.distances.begin(), rows.distances.end())};
    std::visit(
        [&](const auto& ids) {
          base::parallel_for(std::ssize(ids), threads_, [&](std::int64_t i) {
            const std::int64_t id = ids[static_cast<std::size_t>(i)];
            neighbors.ids[static_cast<std::size_t>(i)] = id == k_missing_id ? k_missing_id
                                                         : named            ? named->place_of(id)
                                                                            : 0;
          });
        },
        rows.ids);
    const Cloud queries = wanted.queries ? read_queries(first, count) : Cloud();
    const Cloud none;
    f({number++, first, rows, neighbors, wanted.queries ? queries : queries_.described(), named ? named->cloud() : none,
       named ? named->numbers() : std::span<const std::int64_t>()});
  };
  if (rows_.queries() == 0) return pass(0, {});
  rows_.for_each_block(pass);
}

void FileAnswer::for_each_of_data(const std::function<void(const Cloud&)>& f) const {
  const std::int64_t most = points_at_once(bytes_per_point(data_));
  const base::MemoryCharge charge(&memory_, static_cast<double>(most) * bytes_per_point(data_) + data_.buffer_bytes());
  for (std::int64_t first = 0; first < data_.size(); first += most)
    f(data_.read(first, std::min(most, data_.size() - first)));
}

RowBlocks FileAnswer::rows() const {
  return {rows_.queries(), rows_.k(), rows_.has_wide_ids(), [this](const RowBlocks::Sink& sink) {
            rows_.for_each_block([&](std::int64_t, const RowBlock& rows) { sink(rows); });
          }};
}

RowBlocks FileAnswer::own_rows() const {
  const std::int64_t first = rows_.first_row(ranks_.rank());
  return {rows_.first_row(ranks_.rank() + 1) - first, rows_.k(), rows_.has_wide_ids(),
          [this](const RowBlocks::Sink& sink) {
            rows_.for_each_own_block([&](std::int64_t, const RowBlock& rows) { sink(rows); });
          },
          first};
}

void FileAnswer::on_first_rank(const std::function<void()>& f) const {
  if (ranks_.rank() > 0) return rows_.serve();
  f();
  rows_.end_service();
}

Accuracy FileAnswer::verify(const AccuracyOptions& options) const {
  const std::int64_t sample = options.sample > 0 ? options.sample : rows_.queries();
  return measure_sample(
      {data_, is_self_ ? nullptr : &queries_, rows_, query_skipped_, sample, memory_.limit(), &memory_}, options,
      ranks_);
}

accuracy::CloudFacts FileAnswer::facts() const {
  constexpr std::int64_t read_points = 1 << 16;
  accuracy::FactsOfBlocks facts(data_.dimensions(), data_.size());
  data_.for_each_block(0, data_.size(), read_points, [&](std::int64_t first, const PointsView& points) {
    facts.add_data(first, points);
    if (is_self_) facts.add_queries(points);
  });
  if (!is_self_)
    queries_.for_each_block(0, queries_.size(), read_points,
                            [&](std::int64_t, const PointsView& points) { facts.add_queries(points); });
  return facts.facts();
}

Accuracy FileAnswer::compare(formats::ReferenceFile& reference, const std::string& name,
                             const AccuracyOptions& options) const {
  accuracy::BlockComparison comparison(
      facts(), {data_.dimensions(), data_.size(), rows_.queries(), rows_.k(), reference.k(), name}, options);
  std::vector<std::int64_t> reference_ids, also, ids;
  const auto read_reference = [&](std::int64_t first, std::int64_t count) {
    reference_ids.resize(static_cast<std::size_t>(count * reference.k()));
    reference.read_ids(first, reference_ids);
    accuracy::check_reference_ids(reference_ids, reference.k(), first, data_.size(), name);
    also.clear();
    also.reserve(reference_ids.size());
    std::ranges::copy_if(reference_ids, std::back_inserter(also), [](std::int64_t id) { return id != k_missing_id; });
    return std::span<const std::int64_t>(also);
  };
  const double row_bytes = compared_bytes(static_cast<double>(rows_.k()), static_cast<double>(reference.k()));
  const base::MemoryCharge charge(&memory_,
                                  static_cast<double>(std::min(rows_.block_rows(), rows_.queries())) * row_bytes);
  std::vector<std::int64_t> all;
  base::MemoryCharge charge_of_all;
  for_each({.queries = true, .data = true, .also = read_reference}, [&](const AnswerBlock& block) {
    std::visit([&](const auto& some) { ids.assign(some.begin(), some.end()); }, block.rows.ids);
    std::span<const std::int64_t> data_rows = block.data_rows;
    if (data_rows.empty() && block.data.points.size() > 0) {
      if (all.empty()) {
        charge_of_all = base::MemoryCharge(&memory_, static_cast<double>(data_.size() * 8));
        all.resize(static_cast<std::size_t>(data_.size()));
        std::iota(all.begin(), all.end(), 0);
      }
      data_rows = all;
    }
    comparison.add(
        {block.first, block.queries.points, ids, block.rows.distances, reference_ids, data_rows, block.data.points});
  });
  return comparison.result();
}

}  // namespace kann::flow
