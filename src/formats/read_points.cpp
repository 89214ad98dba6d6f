// read_points() of kann/io.hpp: opens the file, chooses its format and calls the reader of that format.
#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "kann/error.hpp"
#include "kann/io.hpp"

#include "formats/cloud_rows.hpp"
#include "formats/files/input.hpp"
#include "formats/files/refusal.hpp"
#include "formats/formats.hpp"
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

std::optional<PlainRows> plain_rows(Input& input, PointFormat format, const ReadOptions& options) {
  if (format == PointFormat::ply) return plain_ply_rows(input.head(), input.name(), options);
  if (format == PointFormat::npy) return plain_npy_rows(input.head(), input.name(), options);
  return std::nullopt;
}

Cloud read_bytes(PointFormat format, std::string_view bytes, Input& input, const ReadOptions& options) {
  return format == PointFormat::ply ? read_ply(bytes, input.name(), options, &input.progress())
                                    : read_npy(bytes, input.name(), options);
}

/// Reads PLY or NPY.
Cloud read_ply_or_npy(PointFormat format, Input& input, const ReadOptions& options) {
  // The reader refuses a file without its magic: the head is enough, and the rest may be endless.
  if (!format_of(format).has_magic_of(input.head())) return read_bytes(format, input.head(), input, options);
  // Plain rows have no attributes: if all are asked for, there are none.
  if (auto rows = !options.attributes.empty() ? std::nullopt : plain_rows(input, format, options))
    if (auto points = read_plain(input, *rows, options.threads))
      return {std::move(*points), {}, std::move(rows->columns)};
  return read_bytes(format, input.read_all(), input, options);
}

}  // namespace

Cloud read_whole(Input& input, PointFormat format, const ReadOptions& options) {
  switch (format) {
    case PointFormat::ply:
    case PointFormat::npy:
      return read_ply_or_npy(format, input, options);
    case PointFormat::text:
      return read_text(input, options);
    case PointFormat::pcd:
      return read_pcd(input, options);
    case PointFormat::las:
    case PointFormat::laz:
      return read_las(input, options);
    case PointFormat::npz:
      return read_npz(format_of(format).has_magic_of(input.head()) ? input.read_all() : input.head(), input.name(),
                      options);
    case PointFormat::fvecs:
      return read_fvecs(input, options);
    case PointFormat::fbin:
      return read_fbin(input, options);
    case PointFormat::kitti:
      return read_kitti(input, options);
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

  formats::Input input(path);
  input.report_progress(options.on_progress);
  const formats::FormatChoice choice = formats::choose_format(input.name(), input.head(), options);
  Cloud cloud = formats::read_whole(input, choice.format, options);
  if (options.sky) formats::convert_to_degrees(cloud.points, cloud);
  if (!choice.warning.empty()) cloud.warnings.insert(cloud.warnings.begin(), choice.warning);
  return cloud;
} catch (const std::bad_alloc&) {
  throw Error(ErrorKind::resources, path + ": not enough host memory to read it");
}

}  // namespace kann
