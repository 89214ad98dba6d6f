// Shared by the tests of measure_sample(): its result for rows in memory, which is compared with measure_accuracy().
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <type_traits>

#include "kann/accuracy.hpp"
#include "kann/search.hpp"

#include "flow/memory_source.hpp"
#include "flow/ranks/shares.hpp"
#include "flow/ranks/threads.hpp"
#include "flow/rows/answer_in_memory.hpp"
#include "flow/rows/sample_check.hpp"

namespace kann::test {

template <class T>
Points points_of(const MemorySource<T>& source) {
  const auto c = std::get<std::span<const T>>(source.view().coordinates);
  return {source.dimensions(), Array<T>(c.begin(), c.end())};
}

/// measure_sample() by so many ranks, each of which adds a part of the rows to the store.
template <class T, class Q>
Accuracy judged_in_tiles(const MemorySource<T>& data, const MemorySource<Q>* queries, const Neighbors& rows,
                         std::int64_t sample, const AccuracyOptions& options, int ranks) {
  Accuracy result;
  flow::run_on_threads(ranks, [&](flow::Communicator& own) {
    const std::string folder = std::filesystem::temp_directory_path();
    flow::RowStore store(own, folder, rows.queries, rows.k, 50, false, 1000, 2);
    const std::int64_t begin = flow::share_begin(rows.queries, own.size(), own.rank()),
                       end = flow::share_begin(rows.queries, own.size(), own.rank() + 1);
    const auto part = [&](const auto& all) {
      return std::decay_t<decltype(all)>(all.begin() + begin * rows.k, all.begin() + end * rows.k);
    };
    store.add_consecutive(begin, {end - begin, rows.k, part(rows.ids), part(rows.distances)});
    store.deliver();
    const auto skipped = [](const auto& cloud) {
      std::int64_t count = 0;
      for (std::int64_t i = 0; i < cloud.size(); ++i) {
        bool is_finite = true;
        for (int a = 0; a < cloud.dimensions(); ++a) is_finite = is_finite && std::isfinite(cloud.view().at(i, a));
        count += !is_finite;
      }
      return count;
    };
    const std::int64_t first = store.first_row(own.rank());
    const RowBlocks own_rows{store.first_row(own.rank() + 1) - first, rows.k, false,
                             [&](const RowBlocks::Sink& sink) {
                               store.for_each_own_block([&](std::int64_t, const RowBlock& block) { sink(block); });
                             },
                             first};
    // 50 MB for the program, and little for blocks: the data come in several
    const Accuracy judged = flow::measure_sample(
        {data, queries, own_rows, queries ? skipped(*queries) : skipped(data), sample, 50e6}, options, own);
    if (own.rank() == 0) result = judged;
  });
  return result;
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
  const flow::AnswerInMemory in_memory(data_cloud, query_cloud, rows);
  for (const int ranks : {1, 3}) {
    const std::string by = what + ", " + std::to_string(ranks) + " ranks";
    expect_same_verdict(judged_in_tiles(data, queries, rows, rows.queries, options, ranks), want, by);
    for (const std::int64_t sample : {1, 37, 400}) {
      AccuracyOptions some = options;
      some.sample = sample;
      const Accuracy of_some = measure_accuracy(in_data, in_queries, rows, some);
      const std::string name = by + ", sample " + std::to_string(sample);
      expect_same_verdict(judged_in_tiles(data, queries, rows, sample, options, ranks), of_some, name);
      if (ranks == 1) expect_same_verdict(in_memory.verify(some), of_some, name + " in memory");
    }
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
