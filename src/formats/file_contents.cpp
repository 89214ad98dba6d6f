#include "formats/file_contents.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <string_view>
#include <utility>

#include "kann/error.hpp"

#include "base/threads/made_ahead.hpp"
#include "formats/cloud_rows.hpp"
#include "formats/files/input.hpp"
#include "formats/formats.hpp"
#include "formats/sniff.hpp"
#include "formats/table/axes.hpp"

namespace kann::formats {
namespace {

/// Bytes of a point in memory, with its attributes.
double point_bytes(const Cloud& described) {
  double bytes = static_cast<double>(described.las ? described.las->record_bytes : 0);
  std::visit([&](const auto& c) { bytes += static_cast<double>(sizeof c[0]) * described.points.dimensions; },
             described.points.coordinates);
  for (const Attribute& attribute : described.attributes)
    std::visit([&](const auto& values) { bytes += static_cast<double>(sizeof values[0]); }, attribute.values);
  return bytes;
}

}  // namespace

FileContents::FileContents(const std::string& path, ReadRequest options) {
  options.all_attributes = options.coordinates_too = options.las_records = true;
  options.texts = true;
  check_columns(options.columns, options.columns_option);
  if (path == "-" && !options.format)
    throw Error(ErrorKind::usage, "standard input needs its format; name it with " + options.format_option);
  const auto input = std::make_shared<Input>(path);
  const FormatChoice choice = choose_format(input->name(), input->head(), options);
  if (input->expected_size() > 0) bytes_ = input->expected_size();
  const std::unique_ptr<Table> table = open_table(input, choice.format, options);
  if (path != "-" && bytes_) rows_ = table->rows();
  if (!rows_.rows) whole_ = table->read();
  std::vector<std::string>& warnings = whole_ ? whole_->warnings : rows_.warnings;
  if (!choice.warning.empty()) warnings.insert(warnings.begin(), choice.warning);
  std::vector<std::string_view> coordinates;
  for (const Attribute& attribute : described().attributes)
    if (attribute.meaning == Meaning::coordinate) coordinates.push_back(attribute.name);
  if (!options.sky && has_angles(coordinates))
    warnings.push_back(fmt::format("{}: {} are angles: searches take them with --sky", input->name(),
                                   fmt::join(coordinates, " and ")));
  format_ = std::string(format_of(choice.format).title) + table->variant();
}

void FileContents::for_each_block(const Block& f) const {
  if (whole_) return f(0, *whole_);
  constexpr double block_bytes = 1 << 24;  // two blocks take less than a program with its libraries
  const std::int64_t n = size();
  const auto most = static_cast<std::int64_t>(std::max(1.0, block_bytes / point_bytes(described())));
  base::for_each_made_ahead((n + most - 1) / most,
                            [&](std::int64_t block) {
                              const std::int64_t first = block * most;
                              return rows_.rows->read(first, std::min(most, n - first));
                            },
                            [&](std::int64_t block, const Cloud& cloud) { f(block * most, cloud); });
}

}  // namespace kann::formats
