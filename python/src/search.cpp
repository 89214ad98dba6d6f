// Searches: options, rows and the index.
#include "kann/search.hpp"

#include <charconv>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <optional>

#include "kann/neighbors.hpp"
#include "kann/vectors.hpp"

#include "given_groups.hpp"
#include "host_index.hpp"
#include "module.hpp"

namespace kann::python {
namespace {

DeviceChoice device_of(std::string_view text) {
  if (text == "auto") return {};
  if (text == "cpu") return {.kind = DeviceKind::cpu};
  if (text == "cuda") return {.kind = DeviceKind::cuda};
  constexpr std::string_view cuda = "cuda:";
  int number = -1;
  const char* const end = text.data() + text.size();
  if (!text.starts_with(cuda) || std::from_chars(text.data() + cuda.size(), end, number).ptr != end || number < 0 ||
      number > 255)
    refuse("device", "auto, cpu, cuda or cuda:N", text);
  return {.kind = DeviceKind::cuda, .index = number};
}

InvalidPoints invalid_of(std::string_view given) {
  return one_of<InvalidPoints>("invalid", given, {{"error", InvalidPoints::error}, {"skip", InvalidPoints::skip}});
}

void make_options(SearchOptions* made, std::int64_t k, const std::string& device, const std::string& method,
                  std::optional<int> shifts, std::optional<std::int64_t> window, bool include_self,
                  std::optional<double> radius, const std::vector<double>& periodic, const std::string& images,
                  const std::optional<std::string>& unit, const std::string& invalid, int threads) {
  SearchOptions options;
  options.k = k;
  options.device = device_of(device);
  options.method = one_of<Method>(
      "method", method, {{"exact", Method::exact}, {"shifted-sort", Method::shifted_sort}, {"paper", Method::paper}});
  options.shifts = shifts;
  options.window = window;
  options.include_self = include_self;
  options.radius = radius;
  options.periodic = periodic;
  options.images = one_of<Images>("images", images, {{"nearest", Images::nearest}, {"all", Images::all}});
  if (unit) {
    options.sky = angle_unit(*unit);
    if (!options.sky)
      throw Error(ErrorKind::usage, "unit expects " + std::string(k_angle_units) + ", got '" + *unit + "'");
  }
  options.invalid = invalid_of(invalid);
  options.threads = threads;
  options.query_name = "queries";
  check_options(options);
  new (made) SearchOptions(std::move(options));
}

nb::object none_or(std::optional<double> value) { return value ? nb::cast(*value) : nb::none(); }

}  // namespace

nb::dict report_of(const SearchReport& report, const SearchOptions& options, bool is_self) {
  const bool is_exact = report.method == Method::exact;
  const auto cloud = [&](std::int64_t points, std::int64_t skipped) {
    nb::dict made;
    made["points"] = points;
    made["dimensions"] = report.dimensions;
    made["skipped"] = skipped;
    return made;
  };
  const auto parameter = [&](auto value) { return is_exact ? nb::object(nb::none()) : nb::cast(value); };
  nb::dict made;
  made["data"] = cloud(report.data_points, report.data_skipped);
  made["query"] = cloud(report.query_points, report.query_skipped);
  made["self_query"] = is_self;
  made["include_self"] = options.include_self;
  made["k"] = options.k;
  made["method"] = std::string(name_of(report.method));
  made["shifts"] = parameter(report.shifts);
  made["window"] = parameter(report.window);
  if (!is_exact) {
    nb::dict sample;
    sample["queries"] = report.sample.queries;
    sample["recall"] = none_or(report.sample.recall);
    made["sample"] = sample;
  }
  made["radius"] = none_or(options.radius);
  made["periodic"] = options.periodic.empty() ? nb::object(nb::none()) : nb::cast(options.periodic);
  made["images"] = options.images == Images::all ? "all" : "nearest";
  made["sky"] = options.sky ? nb::cast(std::string(name_of(*options.sky))) : nb::object(nb::none());
  made["invalid"] = options.invalid == InvalidPoints::skip ? "skip" : "error";

  nb::dict device;
  const bool is_cpu = report.device.kind == DeviceKind::cpu;
  device["name"] = report.device.name;
  device["kind"] = is_cpu ? "cpu" : "cuda";
  if (is_cpu) device["threads"] = report.device.threads;
  if (!is_cpu) device["memory_bytes"] = report.device.memory_bytes;
  if (!report.device_reason.empty()) device["reason"] = report.device_reason;
  made["device"] = device;

  const StepSeconds& t = report.steps;
  nb::dict steps;
  for (const auto& [name, seconds] : {std::pair{"prepare", t.prepare},
                                      {"start_up", t.start_up},
                                      {"upload", t.upload},
                                      {"encode", t.encode},
                                      {"sort", t.sort},
                                      {"rank", t.rank},
                                      {"boxes", t.boxes},
                                      {"select", t.select},
                                      {"rows", t.rows},
                                      {"download", t.download},
                                      {"sample", t.sample}})
    steps[name] = seconds;
  nb::dict timing;
  timing["search"] = report.total_seconds;
  timing["steps"] = steps;
  made["timing_s"] = timing;
  if (!is_cpu) made["memory_peak_bytes"] = nb::cast(report.device_peak_bytes);
  if (report.within_radius) made["within_radius"] = *report.within_radius;
  if (report.full_rows) made["full_rows"] = *report.full_rows;
  made["warnings"] = in_words_of_python(report.warnings);
  return made;
}

namespace {

using Found = nb::typed<nb::tuple, Neighbors, Dictionary>;

Found found_by(SearchResult&& result, const SearchOptions& options, bool is_self) {
  return nb::make_tuple(nb::cast(std::move(result.neighbors)), report_of(result.report, options, is_self));
}

/// Runs `search(options)` without the GIL.
template <class Search>
Found run(const SearchOptions& options, bool is_self, nb::handle progress, Search search) {
  return found_by(without_gil(options, progress, search), options, is_self);
}

Found search_arrays(const HostArray& data, const std::optional<HostArray>& queries, const GivenGroups& groups,
                    const GivenLimits& limits, const SearchOptions& options, nb::handle progress) {
  const PointsView view = view_of(data);
  const std::optional<PointsView> points = queries ? std::optional(view_of(*queries)) : std::nullopt;
  const std::optional<Groups> labels = groups ? std::optional(groups_of(groups)) : std::nullopt;
  return run(options, !queries, progress, [&](const SearchOptions& all) {
    if (limits) return search_limited({view, points, nullptr, labels}, limits_of(limits), all);
    if (groups) return search_groups(view, points, *labels, all);
    return points ? search(view, *points, all) : search_self(view, all);
  });
}

void make_index(HostIndex* made, const HostArray& data, const std::string& invalid, int threads) {
  const PointsView view = view_of(data);
  const IndexOptions options{.invalid = invalid_of(invalid), .threads = threads};
  const ReleasedGil released;
  new (made) HostIndex(view, options);
}

Found search_index(HostIndex& index, const std::optional<HostArray>& queries, const GivenLimits& limits,
                   const SearchOptions& options, nb::handle progress) {
  refuse_in_callback("an index cannot be searched");
  const std::optional<PointsView> points = queries ? std::optional(view_of(*queries)) : std::nullopt;
  return index.use([&](const Index& used) {
    return run(options, !queries, progress, [&](const SearchOptions& all) {
      if (limits) return search_limited({index.data(), points, &used}, limits_of(limits), all);
      return points ? used.search(*points, all) : used.search_self(all);
    });
  });
}

/// (ids, distances, points that were skipped): without the report, which takes as long as the search of a few queries.
/// @param of_float64 the data, for distances of float64
nb::tuple nearest(HostIndex& index, const HostArray& queries, const SearchOptions& options, nb::handle progress,
                  const std::optional<HostArray>& of_float64) {
  refuse_in_callback("an index cannot be searched");
  const PointsView points = view_of(queries);
  const std::optional<PointsView> data = of_float64 ? std::optional(view_of(*of_float64)) : std::nullopt;
  Array<double> distances;
  SearchResult result = index.use([&](const Index& used) {
    return without_gil(options, progress, [&](const SearchOptions& all) {
      SearchResult found = used.search(points, all);
      if (data)
        distances = neighbor_vectors(*data, points, found.neighbors,
                                     {.distances = true,
                                      .periodic = all.periodic,
                                      .images = all.images,
                                      .sky = all.sky,
                                      .threads = all.threads})
                        .distances;
      return found;
    });
  });
  Neighbors& rows = result.neighbors;
  const std::vector<std::size_t> shape = {static_cast<std::size_t>(rows.queries), static_cast<std::size_t>(rows.k)};
  const auto measured =
      data ? nb::cast(to_numpy(std::move(distances), shape)) : nb::cast(to_numpy(std::move(rows.distances), shape));
  return nb::make_tuple(to_numpy(std::move(rows.ids), shape), measured,
                        result.report.data_skipped + result.report.query_skipped);
}

/// An array of a result, which the array keeps alive.
template <class T>
nb::ndarray<nb::numpy, T> array_of(nb::handle owner, Array<T>& values, const Neighbors& rows) {
  const std::size_t shape[] = {static_cast<std::size_t>(rows.queries), static_cast<std::size_t>(rows.k)};
  return nb::ndarray<nb::numpy, T>(values.data(), 2, shape, owner);
}

void make_neighbors(Neighbors* made, const HostArray& ids, const HostArray& distances) {
  const bool are_rows = ids.ndim() == 2 && distances.ndim() == 2 && ids.shape(0) == distances.shape(0) &&
                        ids.shape(1) == distances.shape(1) && ids.dtype() == nb::dtype<std::int32_t>() &&
                        distances.dtype() == nb::dtype<float>();
  if (!are_rows) throw Error(ErrorKind::bad_input, "ids and distances are m x k each, int32 and float32");
  Neighbors rows;
  rows.queries = static_cast<std::int64_t>(ids.shape(0));
  rows.k = static_cast<std::int64_t>(ids.shape(1));
  const auto* const first_id = static_cast<const std::int32_t*>(ids.data());
  const auto* const first_distance = static_cast<const float*>(distances.data());
  rows.ids.assign(first_id, first_id + ids.size());
  rows.distances.assign(first_distance, first_distance + distances.size());
  new (made) Neighbors(std::move(rows));
}

}  // namespace

void add_search(nb::module_& module) {
  nb::class_<SearchOptions>(module, "SearchOptions")
      .def("__init__", make_options, nb::arg("k"), nb::arg("device"), nb::arg("method"), nb::arg("shifts").none(),
           nb::arg("window").none(), nb::arg("include_self"), nb::arg("radius").none(), nb::arg("periodic"),
           nb::arg("images"), nb::arg("unit").none(), nb::arg("invalid"), nb::arg("threads"));

  nb::class_<Neighbors>(module, "Neighbors")
      .def("__init__", make_neighbors, nb::arg("ids"), nb::arg("distances"))
      .def_prop_ro("ids",
                   [](nb::handle self) {
                     auto& rows = nb::cast<Neighbors&>(self);
                     return array_of(self, rows.ids, rows);
                   })
      .def_prop_ro("distances", [](nb::handle self) {
        auto& rows = nb::cast<Neighbors&>(self);
        return array_of(self, rows.distances, rows);
      });

  module.def("search", search_arrays, nb::arg("data"), nb::arg("queries").none(), nb::arg("groups").none(),
             nb::arg("limits").none(), nb::arg("options"), nb::arg("progress").none());

  auto index = nb::class_<HostIndex>(module, "Index");
  index.def("__init__", make_index, nb::arg("data"), nb::arg("invalid"), nb::arg("threads"), nb::keep_alive<1, 2>())
      .def("search", search_index, nb::arg("queries").none(), nb::arg("limits").none(), nb::arg("options"),
           nb::arg("progress").none())
      .def("nearest", nearest, nb::arg("queries"), nb::arg("options"), nb::arg("progress").none(),
           nb::arg("of_float64").none());
  add_lists(module, index);
  add_clusters(module);
}

}  // namespace kann::python
