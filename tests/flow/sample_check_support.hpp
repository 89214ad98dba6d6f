// Shared by the tests of measure_sample(): its result for rows in memory, which is compared with measure_accuracy().
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <span>
#include <string>

#include "kann/accuracy.hpp"
#include "kann/search.hpp"

#include "flow/memory_source.hpp"
#include "flow/rows/judge.hpp"
#include "flow/rows/sample_check.hpp"

namespace kann::test {

template <class T>
Points points_of(const MemorySource<T>& source) {
  const auto c = std::get<std::span<const T>>(source.view().coordinates);
  return {source.dimensions(), Array<T>(c.begin(), c.end())};
}

/// How many points are not valid.
template <class T>
std::int64_t invalid_points(const MemorySource<T>& cloud) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < cloud.size(); ++i) {
    bool is_finite = true;
    for (int a = 0; a < cloud.dimensions(); ++a) is_finite = is_finite && std::isfinite(cloud.view().at(i, a));
    count += !is_finite;
  }
  return count;
}

/// measure_sample() of rows that come in blocks.
template <class T, class Q>
Accuracy judged_in_blocks(const MemorySource<T>& data, const MemorySource<Q>* queries, const Neighbors& rows,
                          std::int64_t sample, const AccuracyOptions& options) {
  constexpr std::int64_t block_rows = 50;
  const RowBlocks in_blocks{rows.queries, rows.k, false, [&](const RowBlocks::Sink& sink) {
                              for (std::int64_t first = 0; first < rows.queries; first += block_rows) {
                                const std::int64_t count = std::min(block_rows, rows.queries - first);
                                const auto begin = static_cast<std::size_t>(first * rows.k),
                                           values = static_cast<std::size_t>(count * rows.k);
                                sink({first,
                                      count,
                                      rows.k,
                                      {},
                                      std::span(rows.ids).subspan(begin, values),
                                      std::span(rows.distances).subspan(begin, values)});
                              }
                            }};
  const std::int64_t skipped = queries ? invalid_points(*queries) : invalid_points(data);
  return flow::measure_sample({data, queries, in_blocks, skipped, sample, nullptr, 400}, options);
}

inline void expect_same_verdict(const Accuracy& got, const Accuracy& want, const std::string& what) {
  EXPECT_EQ(got.judged, want.judged) << what;
  EXPECT_EQ(got.expected, want.expected) << what;
  if (want.expected > 0)
    EXPECT_EQ(got.recall, want.recall) << what;
  else
    EXPECT_TRUE(std::isnan(got.recall)) << what;
  EXPECT_EQ(got.distance_ratio, want.distance_ratio) << what;
  EXPECT_EQ(got.all_correct, want.all_correct) << what;
  EXPECT_EQ(got.identical, want.identical) << what;
  EXPECT_EQ(got.first_different, want.first_different) << what;
}

/// Compares measure_sample() with measure_accuracy(), of all rows and of samples. Returns the latter, of all rows.
template <class T, class Q = T>
Accuracy expect_verdict_of_memory(const MemorySource<T>& data, const MemorySource<Q>* queries, const Neighbors& rows,
                                  const AccuracyOptions& options, const std::string& what) {
  const Points in_data = points_of(data), in_queries = queries ? points_of(*queries) : in_data;
  const Accuracy want = measure_accuracy(in_data, in_queries, rows, options);
  Cloud data_cloud, query_cloud;
  data_cloud.points = in_data;
  query_cloud.points = in_queries;
  const flow::Found in_memory(rows, data_cloud, query_cloud);
  const std::int64_t skipped = queries ? invalid_points(*queries) : invalid_points(data);
  expect_same_verdict(judged_in_blocks(data, queries, rows, rows.queries, options), want, what);
  for (const std::int64_t sample : {1, 37, 400}) {
    AccuracyOptions some = options;
    some.sample = sample;
    const Accuracy of_some = measure_accuracy(in_data, in_queries, rows, some);
    const std::string name = what + ", sample " + std::to_string(sample);
    expect_same_verdict(judged_in_blocks(data, queries, rows, sample, options), of_some, name);
    expect_same_verdict(flow::verify(in_memory, skipped, some), of_some, name + " in memory");
  }
  return want;
}

inline SearchOptions search_of(std::int64_t k, Method method) {
  SearchOptions options;
  options.k = k;
  options.threads = 2;
  options.method = method;
  options.device.kind = DeviceKind::cpu;
  options.invalid = InvalidPoints::skip;
  return options;
}

inline AccuracyOptions accuracy_of(bool is_self, Method method) {
  AccuracyOptions options;
  options.self_query = is_self;
  options.exact = method == Method::exact;
  options.threads = 2;
  return options;
}

}  // namespace kann::test
