#include "targets/read_cloud.hpp"

#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>
#include <string_view>

#include "base/printable.hpp"
#include "targets/checks.hpp"
#include "targets/memory_file.hpp"

namespace kann::fuzz {
namespace {

constexpr std::size_t k_max_message = 4000;

/// What a read gives, in a form that can be compared: coordinates as bytes, since NaN is not equal to itself.
struct Outcome {
  std::string error;
  std::string bytes;
  std::int64_t points = 0;
  int dimensions = 0;
  std::size_t coordinates = 0;
  std::string attributes;  ///< names and bytes
  std::string records;     ///< of LAS
};

std::size_t size_of(const std::vector<std::string>& columns) {
  std::size_t size = 0;
  for (const std::string& column : columns) size += column.size() + 1;
  return size;
}

Outcome read(const std::string& path, const ReadOptions& options) {
  Outcome out;
  try {
    const Cloud cloud = read_points(path, options);
    for (const std::string& warning : cloud.warnings) check_line("the warning", warning, k_max_message);
    out.points = cloud.points.size();
    out.dimensions = cloud.points.dimensions;
    std::visit(
        [&](const auto& c) {
          out.coordinates = c.size();
          out.bytes.assign(reinterpret_cast<const char*>(c.data()), c.size() * sizeof c[0]);
        },
        cloud.points.coordinates);
    for (const Attribute& attribute : cloud.attributes) {
      if (attribute.size() != out.points) report("an attribute has a value per point", attribute.name);
      out.attributes += attribute.name + '\0';
      std::visit(
          [&](const auto& values) {
            out.attributes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof values[0]);
          },
          attribute.values);
    }
    if (cloud.las) {
      if (cloud.las->records.size() != static_cast<std::size_t>(out.points) * cloud.las->record_bytes)
        report("there is a record per point", std::to_string(cloud.las->records.size()));
      out.records = cloud.las->head + std::string(cloud.las->records.begin(), cloud.las->records.end());
    }
  } catch (const Error& error) {
    // A usage error quotes the user's columns as they are; the program prints it as printable() says.
    const bool quotes_user = error.kind() == ErrorKind::usage;
    check_error(quotes_user ? Error(error.kind(), base::printable(error.what())) : error,
                quotes_user ? k_max_message + 4 * size_of(options.columns) : k_max_message);
    out.error = error.what();
  }
  return out;
}

/// The count of vertices in a PLY header, read word by word; none: there is no header.
std::optional<std::int64_t> vertex_count(std::string_view file) {
  if (!file.starts_with("ply")) return std::nullopt;
  std::istringstream lines{std::string(file)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string keyword, name, count;
    words >> keyword >> name >> count;
    if (keyword == "element" && name == "vertex") return std::atoll(count.c_str());
    if (keyword == "end_header") break;
  }
  return std::nullopt;
}

/// How many bytes a byte may become: LZF makes at most 88 of one, deflate 1,032.
std::size_t max_expansion(std::string_view file) {
  if (file.starts_with("PK")) return 1032;
  return file.find("binary_compressed") != std::string_view::npos ? 88 : 1;
}

void check(const Outcome& got, std::string_view file) {
  if (!got.error.empty()) return;
  const auto dimensions = static_cast<std::size_t>(got.dimensions);
  if (got.dimensions != 2 && got.dimensions != 3)
    report("a cloud has two or three dimensions", std::to_string(dimensions));
  const std::string counted =
      std::to_string(got.coordinates) + " coordinates of " + std::to_string(file.size()) + " bytes";
  if (got.coordinates % dimensions) report("a cloud has whole points", counted);
  // Text may have one more than bytes, where the last has no delimiter: ",," is three empty cells.
  if (got.coordinates > (file.size() + 1) * max_expansion(file)) report("a coordinate takes a byte at least", counted);
  if (const auto count = vertex_count(file); count && *count != got.points)
    report("a PLY file has as many points as its header says", counted);
}

}  // namespace

void read_cloud(std::span<const std::uint8_t> bytes, const std::string& extension, const ReadOptions& options) {
  static MemoryFile file;
  file.set_bytes(bytes);
  const std::string path = file.path(extension);
  ReadOptions one = options, two = options;
  one.threads = 1;
  two.threads = 2;
  const Outcome first = read(path, one), second = read(path, two);
  const std::string_view content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  check(first, content);
  if (first.error != second.error || first.bytes != second.bytes)
    report("the answer is the same on one and on two threads", first.error + " / " + second.error);
  one.all_attributes = two.all_attributes = one.las_records = two.las_records = true;
  const Outcome with_all = read(path, one), with_all_on_two = read(path, two);
  if (with_all.error != with_all_on_two.error || with_all.attributes != with_all_on_two.attributes)
    report("attributes are the same on one and on two threads", with_all.error + " / " + with_all_on_two.error);
  if (with_all.error.empty() && (!first.error.empty() || with_all.bytes != first.bytes))
    report("attributes leave the coordinates as they are", first.error);
  if (with_all.error.empty() && !with_all.records.empty() &&
      content.substr(0, with_all.records.size()) != with_all.records)
    report("records of LAS are the bytes of the file", std::to_string(with_all.records.size()));
}

}  // namespace kann::fuzz
