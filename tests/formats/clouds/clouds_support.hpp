// Shared by the tests of cloud files: clouds with attributes of every type, and how they are written and read again.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kann/cloud_file.hpp"

#include "formats/points/attributes/attributes_support.hpp"

namespace kann::test {

/// The number at a place of a file.
template <class T>
T at(const std::string& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

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

inline std::vector<std::string> write_cloud(const std::string& path, CloudFormat format, const Points& points,
                                            const std::vector<Attribute>& attributes, const LasRecords* las = nullptr,
                                            int threads = 0) {
  CloudFile file(path, format, true);
  std::vector<std::string> warnings = file.write(points, attributes, las, threads);
  file.commit();
  return warnings;
}

/// The bytes of the file, which are the same on any number of threads.
inline std::string written(CloudFormat format, const Points& points, const std::vector<Attribute>& attributes,
                           const LasRecords* las = nullptr, std::vector<std::string>* warnings = nullptr) {
  const TemporaryFolder folder;
  const auto said = write_cloud(folder.file("a"), format, points, attributes, las, 1);
  if (warnings) *warnings = said;
  std::string bytes = contents(folder.file("a"));
  for (const int threads : {2, 5}) {
    write_cloud(folder.file("a"), format, points, attributes, las, threads);
    EXPECT_TRUE(contents(folder.file("a")) == bytes) << threads;
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a"});
  return bytes;
}

/// The message of the Error when it is written, without the folder.
inline std::string write_refusal(CloudFormat format, const Points& points, const std::vector<Attribute>& attributes,
                                 const LasRecords* las = nullptr) {
  const TemporaryFolder folder;
  const auto error = error_of([&] { write_cloud(folder.file("a"), format, points, attributes, las); });
  EXPECT_TRUE(folder.names().empty());
  if (!error) return "written";
  EXPECT_EQ(error->kind(), ErrorKind::bad_input);
  return std::string(error->what()).substr(folder.file("").size());
}

inline Attribute attribute(const std::string& name, AttributeValues values) { return {name, std::move(values)}; }

}  // namespace kann::test
