// Shared by the tests of readers: what reading a file comes to, which is the same whole, in ranges of any size, from a
// pipe, on any number of threads, and as far as its head says it.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "formats/file_contents.hpp"
#include "formats/points/read_support.hpp"

namespace kann::test {

/// What reading a file comes to. Messages are without the folder of the file.
struct ReadOutcome {
  std::string error = {};  ///< "3: a.ply: ..."; empty if it is read
  std::string facts =
      {};  ///< what the cloud says of all its rows: names, types, flags, what was asked, the head of LAS
  std::string coordinates = {};  ///< their bytes
  Lines values = {};             ///< likewise, of each attribute
  std::string records = {};      ///< those of LAS
  Lines warnings = {};

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
ReadOutcome outcome_of(const std::string& path, F&& read) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  ReadOutcome out;
  const std::string error = failure_of([&] { read(out); });
  if (!error.empty()) return {.error = without_folder(error, folder)};
  for (std::string& warning : out.warnings) warning = without_folder(warning, folder);
  return out;
}

inline ReadOutcome whole(const std::string& path, const formats::ReadRequest& options) {
  return outcome_of(path, [&](ReadOutcome& out) {
    const Cloud cloud = formats::read_whole_cloud(path, options);
    append(cloud, out);
    out.warnings = cloud.warnings;
  });
}

/// The cloud, read in blocks of `part` points between two reads of no rows; nothing if it must be read as a whole.
inline std::optional<ReadOutcome> in_parts(const std::string& path, const formats::ReadRequest& given,
                                           std::int64_t part) {
  bool is_whole = false;
  ReadOutcome out = outcome_of(path, [&](ReadOutcome& o) {
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

/// Ranges of the file have the rows of `want`, unless it must be read as a whole. Returns whether it has ranges.
inline bool expect_ranges(const std::string& path, const formats::ReadRequest& options, const ReadOutcome& want) {
  for (const std::int64_t part : {std::int64_t{1}, std::int64_t{2}, std::int64_t{7}, std::int64_t{4095},
                                  std::int64_t{4096}, std::int64_t{4097}, k_all}) {
    if (part < 1000 && want.coordinates.size() > 20'000) continue;
    const auto got = in_parts(path, options, part);
    if (!got) return false;
    EXPECT_EQ(*got, want) << path << " by " << part;
  }
  return true;
}

inline void expect_the_same(const std::string& path, const formats::ReadRequest& options = {}) {
  EXPECT_TRUE(expect_ranges(path, options, whole(path, options))) << path;
}

/// What the head of a file says of its points is what is in it; a text is counted roughly.
inline void expect_head(const std::string& path, const formats::ReadRequest& options, const Cloud& want,
                        bool has_ranges) {
  const auto estimate = formats::estimate_cloud(path, options);
  const formats::RowsInHead head = formats::rows_in_head(path, options);
  if (head.has_count && estimate) {
    EXPECT_EQ(estimate->points, want.points.size());
    EXPECT_EQ(estimate->held_bytes > 0, !has_ranges && want.points.size() > 0);
  }
  if (!head.described) return;
  if (estimate) {
    EXPECT_EQ(estimate->dimensions, want.points.dimensions);
    EXPECT_EQ(estimate->is_float64, !is_float32(want.points));
  }
  EXPECT_EQ(head.described->points.dimensions, want.points.dimensions);
  EXPECT_EQ(head.described->columns, want.columns);
}

/// Text that only its last rows say is read twice.
inline const std::string k_read_again = "it has to be read again, which a pipe cannot; give a file";

/// Reads the file in every way that must not matter, and compares with its whole, which is returned.
inline ReadOutcome expect_every_way(const std::string& path, const formats::ReadRequest& options) {
  SCOPED_TRACE(path);
  const ReadOutcome want = whole(path, options);
  const bool has_ranges = expect_ranges(path, options, want);
  formats::ReadRequest other = options;
  for (const int threads : {1, 3}) {
    other.threads = threads;
    EXPECT_EQ(whole(path, other), want) << threads << " threads";
  }
  const Pipe pipe(std::filesystem::path(path).filename(), contents(path));
  const ReadOutcome from_pipe = whole(pipe.path(), options);
  if (!from_pipe.error.ends_with(k_read_again)) {
    EXPECT_EQ(from_pipe, want) << "from a pipe";
  }
  if (!want.error.empty()) return want;
  expect_head(path, options, formats::read_whole_cloud(path, options), has_ranges);
  other.all_attributes = true;
  if (!whole(path, other).error.empty()) return want;  // of a column that nobody asked for
  const formats::FileContents file(path, options);
  std::string blocks;
  std::int64_t next = 0;
  file.for_each_block([&](std::int64_t row, const Cloud& block) {
    EXPECT_EQ(row, next);
    next += block.points.size();
    blocks += raw(block.points);
  });
  EXPECT_TRUE(blocks == want.coordinates) << "block by block";
  EXPECT_EQ(file.size(), next);
  EXPECT_EQ(file.described().points.size(), has_ranges ? 0 : next);
  return want;
}

/// The attributes of a file called `name` with these bytes, which are the same in every way.
template <class Options = ReadOptions>
Lines attributes_of(const std::string& name, const std::string& bytes, const Options& options) {
  const TemporaryFolder folder;
  put_contents(folder.file(name), bytes);
  EXPECT_EQ(expect_every_way(folder.file(name), options).error, "");
  return described(formats::read_whole_cloud(folder.file(name), options).attributes);
}

inline Lines all_attributes_of(const std::string& name, const std::string& bytes) {
  return attributes_of(name, bytes, {.all_attributes = true});
}

/// A row of a table of files that are read.
struct GoodFile {
  std::string name;
  std::string bytes;
  std::string columns = "";  ///< the names of the coordinates; "": those of all such files
  Numbers points = k_points;
  int dimensions = 0;  ///< 0: the number of the columns
};

/// What the good files of a table have in common.
struct GoodFiles {
  std::string file;
  std::string columns = "";
  bool are_float64 = false;
  ReadOptions options = {};
};

/// Every file has its points and nothing to warn of, read in every way.
inline void expect_good(const GoodFiles& common, std::span<const GoodFile> rows) {
  const TemporaryFolder folder;
  const std::string path = folder.file(common.file);
  for (const GoodFile& row : rows) {
    SCOPED_TRACE(row.name);
    put_contents(path, row.bytes);
    ReadOptions all = common.options;
    all.all_attributes = true;
    EXPECT_EQ(expect_every_way(path, all).coordinates, expect_every_way(path, common.options).coordinates);
    EXPECT_EQ(read_points(path, all).columns, read_points(path, common.options).columns);
    const Cloud cloud = read_points(path, common.options);
    const Numbers got = coordinates_of(cloud.points);
    ASSERT_EQ(got.size(), row.points.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_TRUE(got[i] == row.points[i] || (std::isnan(got[i]) && std::isnan(row.points[i]))) << i << ": " << got[i];
    EXPECT_EQ(is_float32(cloud.points), !common.are_float64);
    std::string columns;
    for (const std::string& column : cloud.columns) columns += (columns.empty() ? "" : " ") + column;
    EXPECT_EQ(columns, row.columns.empty() ? common.columns : row.columns);
    const int named = cloud.columns.empty() ? 3 : static_cast<int>(cloud.columns.size());
    EXPECT_EQ(cloud.points.dimensions, row.dimensions > 0 ? row.dimensions : named);
    EXPECT_EQ(cloud.warnings, Lines{});
  }
}

}  // namespace kann::test
