// Files: clouds with their attributes, and results of earlier searches.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <limits>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <optional>

#include "kann/cloud_file.hpp"
#include "kann/compare.hpp"
#include "kann/io.hpp"
#include "kann/query_grid.hpp"

#include "module.hpp"

namespace kann::python {
namespace {

double fraction_of(std::uint64_t done, std::uint64_t total) {
  return total == 0 ? 0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
}

nb::object coordinates_of(Points&& points) {
  const std::size_t dimensions = static_cast<std::size_t>(points.dimensions);
  return std::visit(
      [&](auto&& values) {
        const std::size_t count = values.size() / dimensions;
        return nb::cast(to_numpy(std::move(values), {count, dimensions}));
      },
      std::move(points.coordinates));
}

Dictionary read(const std::string& path, const std::optional<std::string>& format,
                const std::vector<std::string>& columns, const std::optional<std::vector<std::string>>& attributes,
                std::optional<bool> header, bool sky, int threads, nb::handle progress) {
  ReadOptions options;
  if (format) {
    options.format = point_format(*format);
    if (!options.format)
      throw Error(ErrorKind::usage, "format expects " + std::string(k_point_formats) + ", got '" + *format + "'");
  }
  options.columns = columns;
  options.attributes = attributes.value_or(std::vector<std::string>());
  options.all_attributes = !attributes;
  options.las_records = !attributes;
  options.texts = true;
  options.header = header;
  options.sky = sky;
  options.threads = threads;
  options.format_option = "format";
  options.on_progress = [watch = Watch(progress)](std::uint64_t done, std::uint64_t total) mutable {
    watch("read", fraction_of(done, total));
  };
  if (path == "-") throw Error(ErrorKind::usage, "kann.read() takes the name of a file, not standard input (-)");
  Cloud cloud;
  {
    const ReleasedGil released;
    cloud = read_points(path, options);
  }
  nb::dict values;
  std::vector<std::string> booleans;
  for (Attribute& attribute : cloud.attributes) {
    if (attribute.meaning == Meaning::boolean) booleans.push_back(attribute.name);
    values[attribute.name.c_str()] = to_numpy(std::move(attribute));
  }
  nb::dict made;
  made["points"] = coordinates_of(std::move(cloud.points));
  made["attributes"] = values;
  made["booleans"] = booleans;
  made["columns"] = cloud.columns;
  made["warnings"] = in_words_of_python(cloud.warnings);
  made["las"] = nb::cast(std::const_pointer_cast<LasRecords>(cloud.las));
  return made;
}

std::vector<std::size_t> axes_of(const std::vector<std::string>& names, std::optional<bool> sky,
                                 const std::string& table) {
  return coordinate_columns(std::vector<std::string_view>(names.begin(), names.end()), sky, table);
}

/// The extension of a file that is to be written, without its dot. @throws Error resources: it is a folder.
std::string extension_of(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw Error(ErrorKind::resources, path + ": Is a directory; name a file in it");
  std::string name = std::filesystem::path(path).extension().string();
  return name.empty() ? name : name.substr(1);
}

CloudFormat format_of(const std::string& path, const std::optional<std::string>& given) {
  std::string name = given ? *given : extension_of(path);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::optional<CloudFormat> format = cloud_format(name == "csv" ? "cloud-csv" : name);
  if (!format) throw Error(ErrorKind::usage, "format expects ply, las, laz or csv, got '" + name + "'");
  return *format;
}

std::vector<std::string> write(const std::string& path, const std::optional<std::string>& format,
                               const HostArray& points, const std::vector<NamedArray>& arrays,
                               const std::vector<std::string>& coordinate_names, const std::shared_ptr<LasRecords>& las,
                               bool force, int threads, nb::handle progress) {
  const CloudFormat kind = format_of(path, format);
  if (path == "-") throw Error(ErrorKind::usage, "kann.write() takes the name of a file, not standard output (-)");
  const PointsView view = view_of(points);
  std::vector<Attribute> attributes;
  std::string left_out;
  for (const NamedArray& array : arrays) {
    attributes.push_back(attribute_of(array));
    if (kind == CloudFormat::csv || !attributes.back().texts) continue;
    left_out += (left_out.empty() ? "" : ", ") + attributes.back().name;
    attributes.pop_back();
  }
  const ReleasedGil released;
  CloudFile file(path, kind, force);
  file.report_progress([watch = Watch(progress)](std::uint64_t done, std::uint64_t total) mutable {
    watch("write", fraction_of(done, total));
  });
  const auto pass = [&](const CloudBlocks::Sink& sink) { sink({view, attributes, las.get()}); };
  std::vector<std::string> warnings = file.write({view.size(), pass, coordinate_names}, threads);
  file.commit();
  if (!left_out.empty()) warnings.push_back(path + ": left out, as only CSV holds text: " + left_out);
  return in_words_of_python(std::move(warnings));
}

/// (centres, shape, origin): float64, rows and columns, the corner that QueryGrid::origin() has.
nb::typed<nb::tuple, nb::ndarray<nb::numpy, double>, nb::typed<nb::tuple, int, nb::ellipsis>,
          nb::typed<nb::tuple, double, nb::ellipsis>>
grid(const HostArray& points, double step, int threads) {
  const PointsView view = view_of(points);
  QueryGrid made;
  Points centers;
  {
    const ReleasedGil released;
    made = grid_over(view, step, threads);
    centers = cell_centers(made, threads);
  }
  return nb::make_tuple(coordinates_of(std::move(centers)), nb::tuple(nb::cast(made.shape())),
                        nb::tuple(nb::cast(made.origin())));
}

void write_result(const std::string& path, const Neighbors& rows, const std::optional<HostArray>& distances,
                  const std::optional<HostArray>& shifts, const std::string& meta_json, bool force, int threads) {
  const std::string name = extension_of(path);
  const std::optional<NeighborFormat> format = neighbor_format(name);
  if (!format)
    throw Error(ErrorKind::usage,
                path + ": a result is npz, npy, csv, tsv, bin, ivecs, ibin, fvecs or fbin, not '" + name + "'");
  const ReleasedGil released;
  NeighborFile file(path, *format, force);
  Rows written = rows;
  RowBlocks blocks = one_block(rows);
  if (distances) written.float64_distances = {static_cast<const double*>(distances->data()), distances->size()};
  if (shifts) written.shifts = {static_cast<const std::int32_t*>(shifts->data()), shifts->size()};
  blocks.has_float64_distances = distances.has_value();
  if (shifts) blocks.shift_numbers = static_cast<int>(shifts->shape(2));
  blocks.for_each = [&](const RowBlocks::Sink& sink) { sink(written); };
  file.write(blocks, threads, {.meta_json = meta_json});
  file.commit();
}

Neighbors read_result(const std::string& path) {
  const ReleasedGil released;
  Neighbors rows = read_neighbors(path);
  if (rows.distances.empty()) rows.distances.resize(rows.ids.size(), std::numeric_limits<float>::quiet_NaN());
  return rows;
}

}  // namespace

void add_clouds(nb::module_& module) {
  // A pickle of a cloud has no records: they go with the array that was read, of which the pickle has a copy
  nb::class_<LasRecords>(module, "LasRecords").def("__reduce__", [](nb::handle) {
    return nb::make_tuple(nb::none().type(), nb::tuple());
  });
  module.def("read", read, nb::arg("path"), nb::arg("format").none(), nb::arg("columns"), nb::arg("attributes").none(),
             nb::arg("header").none(), nb::arg("sky"), nb::arg("threads"), nb::arg("progress").none());
  module.def("axes_of", axes_of, nb::arg("names"), nb::arg("sky").none(), nb::arg("table"));
  module.def(
      "degrees_per_unit", [](const std::string& column) { return degrees_per_unit(column); }, nb::arg("column"));
  module.def("write", write, nb::arg("path"), nb::arg("format").none(), nb::arg("points"), nb::arg("attributes"),
             nb::arg("coordinate_names"), nb::arg("las").none(), nb::arg("force"), nb::arg("threads"),
             nb::arg("progress").none());
  module.def("read_neighbors", read_result, nb::arg("path"));
  module.def("write_neighbors", write_result, nb::arg("path"), nb::arg("rows"), nb::arg("distances").none(),
             nb::arg("shifts").none(), nb::arg("meta_json"), nb::arg("force"), nb::arg("threads"));
  module.def("grid", grid, nb::arg("points"), nb::arg("step"), nb::arg("threads"));
}

}  // namespace kann::python
