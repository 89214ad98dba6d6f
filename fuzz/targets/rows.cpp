// Clouds that are read in ranges: they have the points, attributes, columns and warnings of those that are read as a
// whole, and are refused in the same words. The first four bytes of the input say how the file is read and made
// (prefix_of()); what follows is the file.
#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kann/io.hpp"

#include "formats/cloud_rows.hpp"
#include "targets/checks.hpp"
#include "targets/memory_file.hpp"

namespace kann::fuzz {
namespace {

constexpr std::size_t k_prefix_bytes = 4;
constexpr std::int64_t k_mark = 4096;                  // rows of a text from one mark to the next
constexpr std::size_t k_head = std::size_t{64} << 10;  // bytes that are read first
/// What fills it takes half a second under the sanitizers, as one line of 30,000 cells.
constexpr std::size_t k_max_file = std::size_t{80} << 10;

/// How a file is read and made.
struct Prefix {
  formats::ReadRequest options;
  std::size_t choice = 0;  ///< of the format and the columns, below k_choices
  std::size_t copies = 1, length = 0, from_end = 0;
};

constexpr std::size_t k_formats = 10, k_column_lists = 6, k_choices = k_formats * k_column_lists;

/// Counters that libFuzzer takes for code that is reached: inputs are kept for each choice of format and columns, with
/// few points, with points after the first mark, and with few points in a file that is longer than what is read first.
/// The code is the same for them, but not its errors.
[[gnu::section("__libfuzzer_extra_counters")]] std::uint8_t reached[k_choices][3];

/// Byte 0 is a format, the columns, whether attributes and LAS records are read, and whether points are left out by a
/// condition. The others repeat a part of the
/// file, since 4,096 rows, after which texts are marked, and headers of more than 64 KiB, which are not read at once,
/// are more than an input has: byte 1 is how often (a power of two, and up to eight more or fewer), bytes 2 and 3 are
/// its length and how far its end is from that of the file. A length of 0 repeats nothing.
Prefix prefix_of(const std::uint8_t* bytes) {
  using enum PointFormat;
  static const std::optional<PointFormat> formats[k_formats] = {ply, text, npy, npz, pcd, las, fvecs, fbin, kitti, {}};
  static const std::vector<std::string> columns[k_column_lists] = {{},         {"x", "y"},      {"y", "x", "z"},
                                                                   {"1", "2"}, {"3", "1", "2"}, {"4", "2"}};
  const std::size_t choice = bytes[0] % k_choices;
  const int copies = (1 << (bytes[1] & 0xf)) + (bytes[1] >> 4) - 8;
  const bool has_attributes = bytes[0] / k_choices % 2 == 1;
  Prefix prefix{ReadOptions{.format = formats[choice % k_formats],
                            .columns = columns[choice / k_formats],
                            .all_attributes = has_attributes,
                            .texts = has_attributes,
                            .where = bytes[0] / k_choices / 2 == 1 ? parse_condition("--where", "1 < 3") : Condition(),
                            .las_records = has_attributes},
                choice, static_cast<std::size_t>(std::max(1, copies)), bytes[2], bytes[3]};
  prefix.options.keeps_names = has_attributes;
  return prefix;
}

std::string file_of(std::string_view bytes, const Prefix& prefix) {
  const std::size_t end = bytes.size() - std::min(bytes.size(), prefix.from_end);
  const std::size_t begin = end - std::min(end, prefix.length);
  std::string file(bytes.substr(0, end));
  for (std::size_t copy = 1; copy < prefix.copies && file.size() < k_max_file; ++copy)
    file += bytes.substr(begin, end - begin);
  return file.append(bytes.substr(end));
}

std::string error_of(const Error& error) { return std::to_string(error.exit_code()) + ": " + error.what(); }

bool is_float32(const Points& points) { return std::holds_alternative<Array<float>>(points.coordinates); }

std::string_view bytes_of(const Points& points) {
  return std::visit(
      [](const auto& c) { return std::string_view(reinterpret_cast<const char*>(c.data()), c.size() * sizeof c[0]); },
      points.coordinates);
}

std::string_view bytes_of(const Attribute& attribute) {
  return std::visit(
      [](const auto& v) { return std::string_view(reinterpret_cast<const char*>(v.data()), v.size() * sizeof v[0]); },
      attribute.values);
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

/// What reading a whole file comes to: a cloud or an error.
struct Whole {
  Cloud cloud;
  std::string error;
};

Whole read_whole(const std::string& path, const formats::ReadRequest& options) try {
  return {formats::read_whole_cloud(path, options), {}};
} catch (const Error& error) {
  return {{}, error_of(error)};
}

/// Whether bytes of rows, `row_bytes` each, are those of the rows from `first` on of a whole.
bool are_rows_of(std::string_view rows, std::string_view whole, std::size_t row_bytes, std::int64_t first,
                 std::int64_t count) {
  return rows == whole.substr(static_cast<std::size_t>(first) * row_bytes, static_cast<std::size_t>(count) * row_bytes);
}

/// Compares the attributes and LAS records of rows `first` to `first + count − 1` with those of the whole cloud.
void check_attributes(const Cloud& part, const Cloud& whole, std::int64_t first, std::int64_t count) {
  if (part.attributes.size() != whole.attributes.size() || part.asked != whole.asked)
    report("a range has the attributes of the whole", std::to_string(part.attributes.size()));
  for (std::size_t i = 0; i < part.attributes.size(); ++i) {
    const Attribute &some = part.attributes[i], &all = whole.attributes[i];
    if (some.name != all.name || some.values.index() != all.values.index() || some.meaning != all.meaning)
      report("an attribute of a range has the name, the type and the flag of the whole", all.name);
    std::visit(
        [&](const auto& values) {
          if (!are_rows_of(bytes_of(some), bytes_of(all), sizeof values[0], first, count))
            report("a range has the values of the whole", all.name);
        },
        all.values);
  }
  if (!part.las != !whole.las) report("a range has LAS records if the whole has", whole.las ? "it has" : "it has none");
  if (!part.las) return;
  const auto bytes = [](const LasRecords& las) { return std::string_view(las.records.data(), las.records.size()); };
  if (part.las->head != whole.las->head || part.las->extended != whole.las->extended ||
      !are_rows_of(bytes(*part.las), bytes(*whole.las), whole.las->record_bytes, first, count))
    report("a range has the LAS records of the whole", std::to_string(first));
}

/// Compares rows `first` to `first + count − 1` with those of the whole cloud.
void check_range(const formats::RowSource& rows, const Cloud& all, std::int64_t first, std::int64_t count) {
  const std::string range = std::to_string(first) + " and " + std::to_string(count - 1) + " more";
  const Points& whole = all.points;
  Cloud read;
  Points part;
  try {
    read = rows.read(first, count);
    part = rows.read_points(first, count);
  } catch (const Error& error) {
    report("what is read as a whole is read in ranges", error.what());
  }
  check_attributes(read, all, first, count);
  if (bytes_of(read.points) != bytes_of(part)) report("points are the same with attributes and without", range);
  if (part.dimensions != whole.dimensions || part.coordinates.index() != whole.coordinates.index())
    report("a range has the dimensions and the type of the whole", range);
  const std::size_t point_bytes =
      static_cast<std::size_t>(whole.dimensions) * (is_float32(whole) ? sizeof(float) : sizeof(double));
  if (!are_rows_of(bytes_of(part), bytes_of(whole), point_bytes, first, count))
    report("a range has the points of the whole", range);
}

/// All at once, parts of a third, and single points: the first two, those beside a mark of a text, and the last.
void check_ranges(const formats::RowSource& rows, const Cloud& whole) {
  const std::int64_t n = whole.points.size(), third = n / 3 + 1;
  check_range(rows, whole, 0, n);
  for (std::int64_t first = 0; first < n; first += third) check_range(rows, whole, first, std::min(third, n - first));
  for (const std::int64_t point : {std::int64_t{0}, std::int64_t{1}, k_mark - 1, k_mark, n - 1})
    if (point >= 0 && point < n) check_range(rows, whole, point, 1);
}

/// What reading all points, so many at a time, is refused with; empty: it is not.
std::string refusal_of(const formats::RowSource& rows, std::int64_t part) try {
  for (std::int64_t first = 0; first < rows.size(); first += part)
    rows.read(first, std::min(part, rows.size() - first));
  return {};
} catch (const Error& error) {
  return error_of(error);
}

void check_cloud(const formats::RowCloud& got, const Whole& want) {
  if (!got.rows) return;
  if (!want.error.empty()) {
    for (const std::int64_t parts : {1, 3})
      if (const std::string error = refusal_of(*got.rows, got.rows->size() / parts + 1); error != want.error)
        report("ranges are refused in the words for the whole", error + " / " + want.error);
    return;
  }
  const Points& points = want.cloud.points;
  if (got.rows->size() != points.size() || got.rows->dimensions() != points.dimensions ||
      got.rows->is_float64() == is_float32(points))
    report("ranges have the shape and the type of the whole", std::to_string(got.rows->size()));
  const std::vector<std::string>& columns = got.rows->without_rows().columns;
  if (columns != want.cloud.columns) report("ranges have the columns of the whole", joined(columns));
  if (got.warnings != want.cloud.warnings) report("ranges have the warnings of the whole", joined(got.warnings));
  check_attributes(got.rows->without_rows(), want.cloud, 0, 0);
  check_ranges(*got.rows, want.cloud);
}

/// Counts a cloud of two points or more that was compared in ranges.
void note_reached(const Points& points, std::size_t choice, std::size_t file_bytes) {
  if (points.size() >= 2) reached[choice][points.size() > k_mark ? 1 : file_bytes > k_head ? 2 : 0] = 1;
}

/// Opens the file in ranges, and compares it with the whole. Returns whether it has ranges.
bool check_rows(const std::string& path, const formats::ReadRequest& options, const Whole& want) {
  formats::RowCloud got;
  try {
    got = formats::open_rows(path, options);
  } catch (const Error& error) {
    if (error_of(error) != want.error)
      report("the file is refused in ranges as it is as a whole", error_of(error) + " / " + want.error);
    return false;
  }
  if (!got.rows == got.obstacle.empty()) report("there are either rows or an obstacle", got.obstacle);
  check_cloud(got, want);
  return got.rows != nullptr;
}

}  // namespace
}  // namespace kann::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kann::fuzz;
  if (size < k_prefix_bytes) return 0;
  Prefix prefix = prefix_of(data);
  const std::string bytes =
      file_of({reinterpret_cast<const char*>(data) + k_prefix_bytes, size - k_prefix_bytes}, prefix);
  static MemoryFile file;
  file.set_bytes({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  static const std::string path = file.path(".xyz");
  prefix.options.threads = 1;
  const Whole whole = read_whole(path, prefix.options);
  check_rows(path, prefix.options, whole);
  prefix.options.threads = 2;
  if (check_rows(path, prefix.options, whole)) note_reached(whole.cloud.points, prefix.choice, bytes.size());
  return 0;
}
