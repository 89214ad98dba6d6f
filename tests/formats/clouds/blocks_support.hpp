// Shared by the tests of clouds that come in blocks: clouds that are cut, and the outcome of writing them.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/clouds/clouds_support.hpp"

namespace kann::test {

template <class T>
Array<T> values_between(const Array<T>& values, std::int64_t begin, std::int64_t end, std::int64_t width = 1) {
  return {values.begin() + begin * width, values.begin() + end * width};
}

struct TestCloud {
  std::string name;
  Points points;
  std::vector<Attribute> attributes;
  std::optional<LasRecords> las = {};

  CloudBlock view() const { return {points, attributes, las ? &*las : nullptr}; }

  /// Points [begin, end).
  TestCloud points_between(std::int64_t begin, std::int64_t end) const {
    TestCloud out{name, {points.dimensions, {}}, {}, las};
    std::visit([&](const auto& c) { out.points.coordinates = values_between(c, begin, end, points.dimensions); },
               points.coordinates);
    for (const Attribute& attribute : attributes)
      std::visit(
          [&](const auto& values) {
            out.attributes.push_back({attribute.name, values_between(values, begin, end)});
          },
          attribute.values);
    if (las) out.las->records = values_between(las->records, begin, end, static_cast<std::int64_t>(las->record_bytes));
    return out;
  }
};

/// The blocks, and how often they were passed.
struct BlockPasses {
  std::vector<TestCloud> blocks;
  int passes = 0;

  CloudBlocks cloud() {
    CloudBlocks all;
    for (const TestCloud& block : blocks) all.points += block.points.size();
    all.for_each = [this](const CloudBlocks::Sink& sink) {
      ++passes;
      for (const TestCloud& block : blocks) {
        const TestCloud here = block;  // the memory of a block is gone after its call
        sink(here.view());
      }
    };
    return all;
  }
};

/// The cloud in blocks of that size, between two empty ones.
inline BlockPasses in_blocks(const TestCloud& cloud, std::int64_t size) {
  const std::int64_t count = cloud.points.size();
  BlockPasses out{{cloud.points_between(0, 0)}};
  for (std::int64_t begin = 0; begin < count; begin += size)
    out.blocks.push_back(cloud.points_between(begin, std::min(count, begin + size)));
  out.blocks.push_back(cloud.points_between(count, count));
  return out;
}

/// What came of writing a cloud, without the name of the folder.
struct Outcome {
  std::string bytes, error;
  std::vector<std::string> warnings;
  std::optional<ErrorKind> kind;

  bool operator==(const Outcome&) const = default;
};

/// @param write writes to the file that it is given, and returns warnings
inline Outcome outcome_of(CloudFormat format, const auto& write) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  Outcome out;
  const auto error = error_of([&] {
    CloudFile file(path, format, false);
    for (const std::string& warning : write(file)) out.warnings.push_back(warning.substr(path.size()));
    file.commit();
    out.bytes = contents(path);
  });
  if (!error) return out;
  out.kind = error->kind();
  out.error = std::string(error->what()).substr(path.size());
  EXPECT_TRUE(folder.names().empty());
  return out;
}

inline Outcome outcome_in_blocks(CloudFormat format, BlockPasses blocks, int threads = 1) {
  return outcome_of(format, [&](CloudFile& file) { return file.write(blocks.cloud(), threads); });
}

inline Outcome outcome_as_a_whole(CloudFormat format, const TestCloud& cloud) {
  return outcome_of(format, [&](CloudFile& file) {
    const auto [points, attributes, las] = cloud.view();
    return file.write(points, attributes, las, 1);
  });
}

/// Compares the file in blocks of several sizes with the file that is written as a whole, which is returned.
inline Outcome expect_same_in_blocks(CloudFormat format, const TestCloud& cloud) {
  const Outcome whole = outcome_as_a_whole(format, cloud);
  const std::int64_t count = cloud.points.size();
  for (const std::int64_t size : {std::int64_t{1}, std::int64_t{2}, std::int64_t{7}, count - 1, count}) {
    if (size < 1) continue;
    const Outcome got = outcome_in_blocks(format, in_blocks(cloud, size), size == 7 ? 3 : 1);
    EXPECT_TRUE(got.bytes == whole.bytes) << cloud.name << ", format " << static_cast<int>(format) << ", by " << size;
    EXPECT_EQ(got.warnings, whole.warnings) << cloud.name;
    EXPECT_EQ(got.error, whole.error) << cloud.name;
    EXPECT_EQ(got.kind, whole.kind) << cloud.name;
  }
  return whole;
}

}  // namespace kann::test
