// Shared by the tests of clouds that are read in ranges: what reading a file comes to, whole and in parts.
#pragma once

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "formats/points/read_support.hpp"

namespace kann::test {

/// What reading a file comes to.
struct ReadOutcome {
  std::string error = {};  ///< "3: a.ply: ..."; empty if it is read
  std::string facts =
      {};  ///< what the cloud says of all its rows: names, types, flags, what was asked, the head of LAS
  std::string coordinates = {};          ///< their bytes
  std::vector<std::string> values = {};  ///< likewise, of each attribute
  std::string records = {};              ///< those of LAS
  std::vector<std::string> warnings = {};

  bool operator==(const ReadOutcome&) const = default;
};

inline void PrintTo(const ReadOutcome& o, std::ostream* out) {
  *out << (o.error.empty() ? std::to_string(o.coordinates.size()) + " bytes" : o.error) << ", " << o.facts;
  for (const std::string& values : o.values) *out << ", " << values.size() << " bytes";
  for (const std::string& warning : o.warnings) *out << ", " << warning;
}

template <class T>
std::string raw(const T* first, std::size_t count) {
  return {reinterpret_cast<const char*>(first), count * sizeof(T)};
}

inline std::string raw(const Points& points) {
  return std::visit([&](const auto& c) { return raw(c.data(), c.size()); }, points.coordinates);
}

inline std::string facts_of(const Cloud& cloud) {
  std::ostringstream out;
  out << cloud.points.dimensions << (is_float32(cloud.points) ? " float32 " : " float64 ");
  for (const std::string& column : cloud.columns) out << column << ' ';
  for (const Attribute& attribute : cloud.attributes) {
    out << "| " << attribute.name << ' ' << attribute.values.index()
        << (attribute.meaning == Meaning::coordinate ? " axis " : " ");
    if (attribute.texts) out << "text " << attribute.texts->count;
  }
  for (const std::vector<std::size_t>& places : cloud.asked) {
    out << "| asked ";
    for (const std::size_t place : places) out << place << ' ';
  }
  out << "| besides " << cloud.asked_besides;
  if (cloud.las)
    out << "| las " << cloud.las->head << cloud.las->record_bytes << cloud.las->extended << cloud.las->extended_count;
  return out.str();
}

/// Appends the rows of a cloud, whose facts must be those of the rows before.
inline void append(const Cloud& cloud, ReadOutcome& out) {
  const std::string facts = facts_of(cloud);
  EXPECT_TRUE(out.facts.empty() || out.facts == facts) << facts << " after " << out.facts;
  out.facts = facts;
  out.coordinates += raw(cloud.points);
  out.values.resize(cloud.attributes.size());
  for (std::size_t i = 0; i < cloud.attributes.size(); ++i) {
    const Attribute& attribute = cloud.attributes[i];
    if (!attribute.texts)
      std::visit([&](const auto& v) { out.values[i] += raw(v.data(), v.size()); }, attribute.values);
    else
      for (const std::int64_t value : std::get<Array<std::int64_t>>(attribute.values))
        out.values[i] += std::to_string(value & 3) + std::string(attribute.texts->at(value)) + '\0';
  }
  if (cloud.las) out.records += raw(cloud.las->records.data(), cloud.las->records.size());
}

template <class F>
ReadOutcome outcome_of(F&& read) {
  ReadOutcome out;
  if (const auto error = error_of([&] { read(out); }))
    return {.error = std::to_string(error->exit_code()) + ": " + error->what()};
  return out;
}

inline ReadOutcome whole(const std::string& path, const formats::ReadRequest& options) {
  return outcome_of([&](ReadOutcome& out) {
    const Cloud cloud = formats::read_whole_cloud(path, options);
    append(cloud, out);
    out.warnings = cloud.warnings;
  });
}

/// The cloud, read in blocks of `part` points between two reads of no rows; nothing if it must be read as a whole.
inline std::optional<ReadOutcome> in_parts(const std::string& path, const formats::ReadRequest& given,
                                           std::int64_t part) {
  bool is_whole = false;
  ReadOutcome out = outcome_of([&](ReadOutcome& o) {
    const formats::RowCloud cloud = formats::open_rows(path, given);
    is_whole = !cloud.rows;
    EXPECT_EQ(is_whole, !cloud.obstacle.empty());
    if (is_whole) return;
    const formats::RowSource& rows = *cloud.rows;
    append(rows.without_rows(), o);
    append(rows.read(0, 0), o);
    for (std::int64_t first = 0; first < rows.size(); first += part) {
      const std::int64_t count = std::min(part, rows.size() - first);
      const Cloud some = rows.read(first, count);
      EXPECT_TRUE(some.warnings.empty());
      EXPECT_TRUE(raw(rows.read_points(first, count)) == raw(some.points));
      append(some, o);
    }
    append(rows.read(rows.size(), 0), o);
    o.warnings = cloud.warnings;
  });
  return is_whole ? std::nullopt : std::optional(std::move(out));
}

/// The options, and the same with attributes: all, by their numbers, in another letter case, coordinates, names that
/// are not there, and all columns of tables with text.
inline std::vector<formats::ReadRequest> with_attributes(const ReadOptions& options) {
  std::vector<formats::ReadRequest> all(8, options);
  all[1].all_attributes = all[1].las_records = true;
  all[2].attributes = {"2", "1"};
  all[3].attributes = {"X", "y", "x"};
  all[3].all_attributes = true;
  all[4].attributes = {"Class"};
  all[5].attributes = {"x", "colour"};
  all[6].all_attributes = all[6].coordinates_too = all[6].texts = all[6].keeps_names = true;
  all[7] = all[6];
  all[7].spelled = true;
  all[7].attributes = {"1"};
  return all;
}

inline constexpr std::int64_t k_all = std::int64_t{1} << 40;

inline void expect_the_same(const std::string& path, const formats::ReadRequest& options = {}) {
  const ReadOutcome want = whole(path, options);
  for (const std::int64_t part : {std::int64_t{1}, std::int64_t{2}, std::int64_t{7}, std::int64_t{4095},
                                  std::int64_t{4096}, std::int64_t{4097}, k_all}) {
    if (part < 1000 && want.coordinates.size() > 100'000) continue;
    const auto got = in_parts(path, options, part);
    ASSERT_TRUE(got) << path;
    EXPECT_EQ(*got, want) << path << " by " << part;
  }
}

}  // namespace kann::test
