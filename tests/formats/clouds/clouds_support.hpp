// Shared by the tests of cloud files: clouds with attributes of every type, whole and in blocks, and how they are
// written and read again.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kann/cloud_file.hpp"

#include "formats/points/every_way.hpp"

namespace kann::test {

/// Values of T that are hard to write, its limits among them.
template <class T>
Array<T> hard_values(std::int64_t count, Random& random) {
  Array<T> values;
  for (std::int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      const T special[] = {T(0),
                           -T(0),
                           std::numeric_limits<T>::max(),
                           std::numeric_limits<T>::denorm_min(),
                           std::numeric_limits<T>::infinity(),
                           std::numeric_limits<T>::quiet_NaN()};
      values.push_back(random.below(4) == 0 ? special[random.below(6)]
                                            : static_cast<T>(std::ldexp(random.uniform() - 0.5,
                                                                        static_cast<int>(random.below(60)) - 30)));
    } else {
      const std::uint64_t bits = random.below(3);
      values.push_back(bits == 0   ? std::numeric_limits<T>::min()
                       : bits == 1 ? std::numeric_limits<T>::max()
                                   : static_cast<T>(random.below(1u << 31)));
    }
  }
  return values;
}

template <class T>
Attribute hard_attribute(const std::string& name, std::int64_t count, std::uint64_t seed = 1) {
  Random random(seed);
  return {name, hard_values<T>(count, random)};
}

/// One of each type, called after it; without int64 and uint64 if `narrow`.
inline std::vector<Attribute> attributes_of_every_type(std::int64_t count, bool narrow) {
  std::vector<Attribute> all = {
      hard_attribute<std::int8_t>("int8", count),   hard_attribute<std::uint8_t>("uint8", count),
      hard_attribute<std::int16_t>("int16", count), hard_attribute<std::uint16_t>("uint16", count),
      hard_attribute<std::int32_t>("int32", count), hard_attribute<std::uint32_t>("uint32", count),
      hard_attribute<float>("float32", count),      hard_attribute<double>("float64", count)};
  if (!narrow) {
    all.push_back(hard_attribute<std::int64_t>("int64", count));
    all.push_back(hard_attribute<std::uint64_t>("uint64", count));
  }
  return all;
}

/// Coordinates of map size with two decimals, which LAS holds.
inline Points map_points(std::int64_t count, int dimensions = 3, bool is_float = false) {
  Random random(5);
  Points points{dimensions, Array<double>()};
  for (std::int64_t i = 0; i < count * dimensions; ++i)
    std::get<Array<double>>(points.coordinates)
        .push_back(is_float ? random.uniform() * 100 - 50 : (63600000 + std::floor(random.uniform() * 1e6)) / 100);
  if (is_float) {
    const auto wide = std::get<Array<double>>(points.coordinates);
    Array<float> narrow;
    for (const double value : wide) narrow.push_back(static_cast<float>(value));
    points.coordinates = std::move(narrow);
  }
  return points;
}

inline Lines write_cloud(const std::string& path, CloudFormat format, const Points& points,
                         const std::vector<Attribute>& attributes, const LasRecords* las = nullptr, int threads = 0) {
  CloudFile file(path, format, true);
  Lines warnings = file.write(points, attributes, las, threads);
  file.commit();
  return warnings;
}

inline Attribute attribute(const std::string& name, AttributeValues values) { return {name, std::move(values)}; }

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
    for (const Attribute& attribute : attributes) {
      out.attributes.push_back(attribute);
      std::visit([&](auto& values) { values = values_between(values, begin, end); }, out.attributes.back().values);
    }
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
  Lines warnings;
  std::optional<ErrorKind> kind;

  bool operator==(const Outcome&) const = default;
};

/// @param write writes to the file that it is given, and returns warnings
inline Outcome write_outcome(CloudFormat format, const auto& write) {
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
  return write_outcome(format, [&](CloudFile& file) { return file.write(blocks.cloud(), threads); });
}

inline Outcome outcome_as_a_whole(CloudFormat format, const TestCloud& cloud) {
  return write_outcome(format, [&](CloudFile& file) {
    const auto [points, attributes, las] = cloud.view();
    return file.write(points, attributes, las, 1);
  });
}

/// Compares the file in blocks of several sizes with the file that is written as a whole, which is returned.
inline Outcome expect_same_in_blocks(CloudFormat format, const TestCloud& cloud) {
  const Outcome whole = outcome_as_a_whole(format, cloud);
  const std::int64_t count = cloud.points.size();
  for (const std::int64_t size : {std::int64_t{1}, std::int64_t{2}, std::int64_t{7}, count - 1, count}) {
    if (size < 1 || count > 300 * size) continue;
    const Outcome got = outcome_in_blocks(format, in_blocks(cloud, size), size == 7 ? 3 : 1);
    EXPECT_TRUE(got.bytes == whole.bytes) << cloud.name << ", format " << static_cast<int>(format) << ", by " << size;
    EXPECT_EQ(got.warnings, whole.warnings) << cloud.name;
    EXPECT_EQ(got.error, whole.error) << cloud.name;
    EXPECT_EQ(got.kind, whole.kind) << cloud.name;
  }
  return whole;
}

/// The bytes of the file, which are the same on any number of threads and in blocks.
inline std::string written(CloudFormat format, const Points& points, const std::vector<Attribute>& attributes,
                           const LasRecords* las = nullptr, Lines* warnings = nullptr) {
  const TemporaryFolder folder;
  const TestCloud cloud{"written", points, attributes, las ? std::optional(*las) : std::nullopt};
  const Outcome whole = expect_same_in_blocks(format, cloud);
  EXPECT_EQ(whole.error, "");
  if (warnings) *warnings = whole.warnings;
  for (const int threads : {2, 5}) {
    write_cloud(folder.file("a"), format, points, attributes, las, threads);
    EXPECT_TRUE(contents(folder.file("a")) == whole.bytes) << threads;
  }
  EXPECT_EQ(folder.names(), Lines{"a"});
  return whole.bytes;
}

/// The message of the Error when it is written, whole or in blocks, without the folder.
inline std::string write_refusal(CloudFormat format, const Points& points, const std::vector<Attribute>& attributes) {
  const Outcome whole = expect_same_in_blocks(format, {"refused", points, attributes});
  EXPECT_EQ(whole.kind, ErrorKind::bad_input);
  return "a" + whole.error;
}

}  // namespace kann::test
