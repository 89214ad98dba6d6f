// read_points() of kann/io.hpp: opens the file, chooses its format and calls the reader of that format.
#include <algorithm>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "kann/error.hpp"
#include "kann/io.hpp"

#include "formats/cloud_rows.hpp"
#include "formats/files/input.hpp"
#include "formats/las/las_reader.hpp"
#include "formats/numpy/npy_reader.hpp"
#include "formats/numpy/npz_reader.hpp"
#include "formats/pcd/pcd_reader.hpp"
#include "formats/plain_rows.hpp"
#include "formats/ply/ply_reader.hpp"
#include "formats/sniff.hpp"
#include "formats/table/axes.hpp"
#include "formats/text/text_reader.hpp"
#include "formats/vectors/vectors_reader.hpp"

namespace kann::formats {
namespace {

/// Plain rows have no attributes: if all are asked for, there are none.
std::optional<Cloud> read_plain_ply(Input& input, const ReadOptions& options) {
  auto rows = plain_ply_rows(input.head(), input.name(), options);
  auto points = rows && options.attributes.empty() ? read_plain(input, *rows, options.threads) : std::nullopt;
  if (!points) return std::nullopt;
  return Cloud{std::move(*points), {}, std::move(rows->columns)};
}

}  // namespace

Cloud read_whole(std::shared_ptr<Input> input, PointFormat format, const ReadOptions& options) {
  input = head_without_magic(std::move(input), format);
  switch (format) {
    case PointFormat::ply:
      if (auto plain = read_plain_ply(*input, options)) return std::move(*plain);
      return read_ply(input->read_all(), input->name(), options, &input->progress());
    case PointFormat::npy:
      return read_layout(npy_layout(std::move(input), options), options.threads);
    case PointFormat::text:
      return read_text(*input, options);
    case PointFormat::pcd:
      return read_pcd(std::move(input), options);
    case PointFormat::las:
    case PointFormat::laz:
      return read_layout(las_layout(std::move(input), options), options.threads);
    case PointFormat::npz:
      return read_npz(std::move(input), options);
    case PointFormat::fvecs:
      return read_layout(fvecs_layout(std::move(input), options), options.threads);
    case PointFormat::fbin:
      return read_layout(fbin_layout(std::move(input), options), options.threads);
    case PointFormat::kitti:
      return read_layout(kitti_layout(std::move(input), options), options.threads);
  }
  throw Error(ErrorKind::internal, "a point format without a reader");
}

}  // namespace kann::formats

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

Cloud read_points(const std::string& path, const ReadOptions& options) try {
  check_read_options(options);
  if (path == "-" && !options.format)
    throw Error(ErrorKind::usage, "standard input needs its format; name it with " + options.format_option);

  auto input = std::make_shared<formats::Input>(path);
  input->report_progress(options.on_progress);
  const formats::FormatChoice choice = formats::choose_format(input->name(), input->head(), options);
  Cloud cloud = formats::read_whole(std::move(input), choice.format, options);
  if (options.sky) formats::convert_to_degrees(cloud.points, cloud);
  if (!choice.warning.empty()) cloud.warnings.insert(cloud.warnings.begin(), choice.warning);
  return cloud;
} catch (const std::bad_alloc&) {
  throw Error(ErrorKind::resources, path + ": not enough host memory to read it");
}

}  // namespace kann
