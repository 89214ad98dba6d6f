#include "flow/rows/sample_check.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <limits>
#include <span>
#include <vector>

#include "base/seconds_since.hpp"
#include "base/threads/parallel.hpp"
#include "products/accuracy/accuracy_of_blocks.hpp"
#include "products/accuracy/cloud_facts.hpp"
#include "products/accuracy/nearest_in_balls.hpp"
#include "products/accuracy/sample.hpp"

namespace kann::flow {
namespace {

constexpr std::int64_t k_others = 1 << 13;

/// Bytes of what a check takes whatever the sample is: mostly two blocks of points.
constexpr double k_judge_fixed = 6e6;

/// Bytes of memory per query of a sample. Its k points are named by their ids, in their order by their rows, and have
/// coordinates as given and where they are judged; if a row is wrong, a tree of them takes 60 bytes each.
double bytes_per_query(std::int64_t k) {
  const auto row = static_cast<double>(k);
  return row * (2 * 8.0 + 4 + 8 + 2 * 24.0 + 60) + 8 + 2 * 24.0 + 24 + accuracy::NearestInBalls::bytes_per_query(row);
}

}  // namespace

double judging_bytes(std::int64_t rows, std::int64_t k) {
  return k_judge_fixed + static_cast<double>(rows) * bytes_per_query(k);
}

std::int64_t most_judged(double budget, std::int64_t k) {
  const double most = (budget - k_judge_fixed) / bytes_per_query(k);
  return static_cast<std::int64_t>(
      std::clamp(most, 0.0, static_cast<double>(std::numeric_limits<std::int32_t>::max())));
}

Accuracy measure_sample(const SampleCheck& check, const AccuracyOptions& given) {
  const auto start = std::chrono::steady_clock::now();
  const PointSource &data = check.data, &queries = check.queries ? *check.queries : data;
  const int dimensions = data.dimensions(), threads = base::thread_count(given.threads);
  const std::int64_t sample = std::min(check.sample, queries.size()), k = check.rows.k;
  const base::MemoryCharge charge(check.memory, static_cast<double>(sample) * bytes_per_query(k));

  accuracy::FactsOfBlocks facts(dimensions, data.size());
  const auto pick = [&](const PointsView& block, std::int64_t i, std::vector<double>& coordinates) {
    for (int a = 0; a < dimensions; ++a) coordinates.push_back(block.at(i, a));
  };

  // The queries, …
  accuracy::QuerySample picker(queries.size() - check.query_skipped, sample);
  std::vector<std::int64_t> query_rows;
  std::vector<double> query_coordinates;
  query_rows.reserve(static_cast<std::size_t>(sample));
  query_coordinates.reserve(query_rows.capacity() * static_cast<std::size_t>(dimensions));
  queries.for_each_block(0, queries.size(), check.block_points, [&](std::int64_t row, const PointsView& block) {
    if (check.queries) facts.add_queries(block);
    for (const std::int64_t i : picker.next_rows(accuracy::Coordinates(block, 1), block.size())) {
      query_rows.push_back(row + i);
      pick(block, i, query_coordinates);
    }
  });

  // … their rows, …
  std::vector<std::int64_t> ids;
  std::vector<float> distances;
  ids.reserve(query_rows.size() * static_cast<std::size_t>(k));
  distances.reserve(ids.capacity());
  auto next = query_rows.begin();
  check.rows.for_each([&](const Rows& rows) {
    for (; next != query_rows.end() && *next < rows.first + rows.count; ++next) {
      const auto at = static_cast<std::size_t>((*next - rows.first) * k), end = at + static_cast<std::size_t>(k);
      for (std::size_t i = at; i < end; ++i) ids.push_back(rows.id(i));
      std::ranges::copy(rows.distances.subspan(at, end - at), std::back_inserter(distances));
    }
  });

  // … and the points that these name, with some others: rows without neighbours, too, shall have small balls.
  std::vector<std::int64_t> data_rows = ids;
  for (std::int64_t i = 0; i < data.size(); i += std::max<std::int64_t>(1, data.size() / k_others))
    data_rows.push_back(i);
  std::erase_if(data_rows, [&](std::int64_t id) { return id < 0 || id >= data.size(); });
  std::ranges::sort(data_rows);
  data_rows.erase(std::unique(data_rows.begin(), data_rows.end()), data_rows.end());
  std::vector<double> data_coordinates;
  data_coordinates.reserve(data_rows.size() * static_cast<std::size_t>(dimensions));
  auto named = data_rows.begin();
  data.for_each_block(0, data.size(), check.block_points, [&](std::int64_t row, const PointsView& block) {
    facts.add_data(row, block);
    for (; named != data_rows.end() && *named < row + block.size(); ++named)
      pick(block, *named - row, data_coordinates);
  });
  if (!check.queries) facts.set_queries_to_data();

  AccuracyOptions options = given;
  options.sample = 0;
  options.on_progress = nullptr;
  accuracy::AccuracyOfBlocks judged(facts.facts(), dimensions, std::ssize(query_rows), options);
  const accuracy::JudgedClouds clouds =
      judged.clouds_of({{dimensions, std::span<const double>(data_coordinates)},
                        {dimensions, std::span<const double>(query_coordinates)},
                        {0, std::ssize(query_rows), k, {}, std::span<const std::int64_t>(ids), distances},
                        {},
                        data_rows,
                        query_rows});
  accuracy::NearestInBalls balls(clouds, threads);
  data.for_each_block(0, data.size(), check.block_points, [&](std::int64_t row, const PointsView& block) {
    balls.add(row, block);
    if (given.on_progress)
      given.on_progress(static_cast<double>(row + block.size()) / static_cast<double>(data.size()));
  });
  judged.add(clouds, [&](std::int64_t query, auto& nearest) { balls.find(query, nearest); });
  Accuracy result = judged.result();
  result.seconds = base::seconds_since(start);
  return result;
}

}  // namespace kann::flow
