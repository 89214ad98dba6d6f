// read_points() and estimate_cloud() of kann/io.hpp: they open the file, choose its format and ask its table.
#include <algorithm>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "kann/error.hpp"
#include "kann/io.hpp"

#include "formats/cloud_rows.hpp"
#include "formats/files/input.hpp"
#include "formats/sniff.hpp"
#include "formats/table/axes.hpp"

namespace kann {

void check_read_options(const ReadOptions& options) {
  const std::vector<std::string>& columns = options.columns;
  if (columns.empty()) return;
  bool is_right = columns.size() == 2 || columns.size() == 3;
  std::string all;
  std::vector<std::pair<std::size_t, std::string_view>> seen;
  for (const std::string& text : columns) {
    all += (all.empty() ? "" : ",") + text;
    const std::optional<formats::ColumnChoice> column = formats::parse_column_choice(text);
    if (!column || std::ranges::count(seen, std::pair(column->number, column->name)) > 0)
      is_right = false;
    else
      seen.emplace_back(column->number, column->name);
  }
  if (!is_right)
    throw Error(ErrorKind::usage, options.columns_option +
                                      " expects two or three different columns, by name or by number from 1, got '" +
                                      all + "'");
}

Cloud read_points(const std::string& path, const ReadOptions& given) try {
  check_read_options(given);
  const ReadOptions options = formats::with_columns_of_where(given);
  if (path == "-" && !options.format)
    throw Error(ErrorKind::usage, "standard input needs its format; name it with " + options.format_option);

  auto input = std::make_shared<formats::Input>(path);
  input->report_progress(options.on_progress);
  const formats::FormatChoice choice = formats::choose_format(input->name(), input->head(), options);
  const std::string name = input->name();
  Cloud cloud = formats::open_table(std::move(input), choice.format, options)->read();
  formats::adjust(cloud, options, name);
  if (!choice.warning.empty()) cloud.warnings.insert(cloud.warnings.begin(), choice.warning);
  return cloud;
} catch (const std::bad_alloc&) {
  throw Error(ErrorKind::resources, path + ": not enough host memory to read it");
}

std::optional<CloudEstimate> estimate_cloud(const std::string& path, const ReadOptions& options) try {
  std::error_code error;
  // A FIFO would block, and its first bytes be lost
  if (path == "-" || !std::filesystem::is_regular_file(path, error)) return std::nullopt;
  auto input = std::make_shared<formats::Input>(path);
  if (input->head().empty()) return std::nullopt;
  const PointFormat format = formats::choose_format(input->name(), input->head(), options).format;
  return formats::open_table(std::move(input), format, options)->estimate();
} catch (const std::exception&) {
  return std::nullopt;  // reading the file will say what is wrong with it
}

}  // namespace kann
