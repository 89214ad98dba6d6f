// Shared by the tests of clouds that are read in ranges: what reading a file comes to, whole and in parts.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "io/points/cloud_rows.hpp"
#include "io/points/read_support.hpp"

namespace kann::test {

/// What reading a file comes to.
struct ReadOutcome {
  std::string error;  ///< "3: a.ply: ..."; empty if it is read
  int dimensions = 0;
  bool is_float64 = false;
  std::string coordinates = {};  ///< their bytes
  std::vector<std::string> columns = {}, warnings = {};

  bool operator==(const ReadOutcome&) const = default;
};

inline void PrintTo(const ReadOutcome& o, std::ostream* out) {
  *out << (o.error.empty() ? std::to_string(o.coordinates.size()) + " bytes" : o.error) << ", " << o.dimensions
       << (o.is_float64 ? " float64" : " float32");
  for (const std::string& warning : o.warnings) *out << ", " << warning;
}

inline void append(const Points& points, std::string& bytes) {
  std::visit([&](const auto& c) { bytes.append(reinterpret_cast<const char*>(c.data()), c.size() * sizeof(c[0])); },
             points.coordinates);
}

template <class F>
ReadOutcome outcome_of(F&& read) {
  ReadOutcome out;
  if (const auto error = error_of([&] { read(out); }))
    return {.error = std::to_string(error->exit_code()) + ": " + error->what()};
  return out;
}

inline ReadOutcome whole(const std::string& path, const ReadOptions& options) {
  return outcome_of([&](ReadOutcome& out) {
    const Cloud cloud = read_points(path, options);
    out.dimensions = cloud.points.dimensions;
    out.is_float64 = !is_float32(cloud.points);
    append(cloud.points, out.coordinates);
    out.columns = cloud.columns;
    out.warnings = cloud.warnings;
  });
}

/// Of blocks of `part` points; nothing if it must be read as a whole.
inline std::optional<ReadOutcome> in_parts(const std::string& path, const ReadOptions& options, std::int64_t part) {
  bool is_whole = false;
  ReadOutcome out = outcome_of([&](ReadOutcome& o) {
    const io::RowCloud cloud = io::open_rows(path, options);
    is_whole = !cloud.rows;
    EXPECT_EQ(is_whole, !cloud.obstacle.empty());
    if (is_whole) return;
    o.dimensions = cloud.rows->dimensions();
    o.is_float64 = cloud.rows->is_float64();
    for (std::int64_t first = 0; first < cloud.rows->size(); first += part)
      append(cloud.rows->read(first, std::min(part, cloud.rows->size() - first)), o.coordinates);
    o.columns = cloud.columns;
    o.warnings = cloud.warnings;
  });
  return is_whole ? std::nullopt : std::optional(std::move(out));
}

inline constexpr std::int64_t k_all = std::int64_t{1} << 40;

inline void expect_the_same(const std::string& path, const ReadOptions& options = {}) {
  const ReadOutcome want = whole(path, options);
  for (const std::int64_t part : {std::int64_t{1}, std::int64_t{7}, std::int64_t{1000}, k_all}) {
    if (part < 1000 && want.coordinates.size() > 100'000) continue;
    const auto got = in_parts(path, options, part);
    ASSERT_TRUE(got) << path;
    EXPECT_EQ(*got, want) << path << " by " << part;
  }
}

}  // namespace kann::test
