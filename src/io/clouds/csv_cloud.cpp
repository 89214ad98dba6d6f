// Clouds as CSV.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "io/clouds/cloud_writers.hpp"
#include "io/clouds/names.hpp"
#include "io/points/table/number.hpp"
#include "io/results/ordered_blocks.hpp"

namespace kann::io {
namespace {

constexpr std::size_t k_longest_number = 26;
constexpr std::size_t k_block_bytes = std::size_t{512} << 10;

/// Makes a name one that readers do not take for a number, on one line, in quotes where it needs them (RFC 4180).
std::string header_name(std::string name) {
  std::ranges::replace_if(
      name, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  double number = 0;
  if (name.empty() || parse_number(name, number) != NumberFault::not_a_number || name == "NA" || name == "null" ||
      name == "NULL")
    name = "column_" + name;
  if (name.find_first_of(",;\" \t'#") == std::string::npos) return name;
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

template <class T>
char* put_number(char* out, T value) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(value)) value = std::abs(value);  // nan, not -nan
  return std::to_chars(out, out + k_longest_number, value).ptr;
}

}  // namespace

std::vector<std::string> write_cloud_csv(const PointsView& points, std::span<const Attribute> attributes,
                                         ByteSink& sink, int threads) {
  UniqueNames names;
  std::string header;
  std::vector<std::string> warnings;
  const auto add_name = [&](const std::string& name) {
    const std::string taken = names.take(name);
    header += (header.empty() ? "" : ",") + header_name(taken);
    if (auto warning = renamed_warning(sink.name(), name, name, taken)) warnings.push_back(std::move(*warning));
  };
  for (int axis = 0; axis < points.dimensions; ++axis) add_name(std::string(1, "xyz"[axis]));
  for (const Attribute& attribute : attributes) add_name(attribute.name);
  header += '\n';
  sink.write(as_bytes(header));

  const std::size_t longest = k_longest_number * (static_cast<std::size_t>(points.dimensions) + attributes.size());
  const auto per_block = static_cast<std::int64_t>(std::max<std::size_t>(1, k_block_bytes / longest));
  const std::int64_t rows = points.size();
  const auto make = [&](std::int64_t block, std::byte* bytes) {
    char* const begin = reinterpret_cast<char*>(bytes);
    char* out = begin;
    for (std::int64_t i = block * per_block, end = std::min(rows, i + per_block); i < end; ++i) {
      std::visit(
          [&](auto values) {
            for (std::int64_t at = i * points.dimensions; at < (i + 1) * points.dimensions; ++at) {
              out = put_number(out, values[static_cast<std::size_t>(at)]);
              *out++ = ',';
            }
          },
          points.coordinates);
      for (const Attribute& attribute : attributes) {
        std::visit([&](const auto& values) { out = put_number(out, values[static_cast<std::size_t>(i)]); },
                   attribute.values);
        *out++ = ',';
      }
      out[-1] = '\n';
    }
    return static_cast<std::size_t>(out - begin);
  };
  write_blocks({(rows + per_block - 1) / per_block, static_cast<std::size_t>(per_block) * longest, make}, sink,
               threads);
  return warnings;
}

}  // namespace kann::io
