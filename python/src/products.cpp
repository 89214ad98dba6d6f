// What becomes of rows: attributes, statistics, outliers, pictures and checks.
#include <algorithm>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <span>

#include "kann/accuracy.hpp"
#include "kann/compare.hpp"
#include "kann/histogram.hpp"
#include "kann/outliers.hpp"
#include "kann/render.hpp"
#include "kann/search.hpp"
#include "kann/statistics.hpp"
#include "kann/transfer.hpp"

#include "given_groups.hpp"
#include "module.hpp"

namespace kann::python {
namespace {

/// Makes `f()` without the GIL.
template <class F>
auto without_gil(F f) {
  const ReleasedGil released;
  return f();
}

TransferMethod method_of(const std::string& word) {
  return one_of<TransferMethod>("by", word,
                                {{"nearest", TransferMethod::nearest},
                                 {"mean", TransferMethod::mean},
                                 {"idw", TransferMethod::idw},
                                 {"vote", TransferMethod::vote},
                                 {"rbf", TransferMethod::rbf}});
}

/// ({name: values}, warnings). `by` is for the attributes that `named`, pairs of a name and its method, leaves out.
nb::typed<nb::tuple, nb::typed<nb::dict, nb::str, nb::ndarray<nb::numpy>>, std::vector<std::string>> transfer_arrays(
    const HostArray& data, const HostArray& queries, const Neighbors& rows, const std::vector<NamedArray>& arrays,
    const std::string& by, const std::vector<std::pair<std::string, std::string>>& named, const std::string& rbf_kernel,
    int rbf_degree, double rbf_smoothing, double rbf_epsilon, const SearchOptions& search) {
  TransferOptions options;
  options.method = method_of(by);
  options.rbf.kernel = one_of<RbfKernel>("rbf_kernel", rbf_kernel,
                                         {{"thin_plate_spline", RbfKernel::thin_plate_spline},
                                          {"cubic", RbfKernel::cubic},
                                          {"linear", RbfKernel::linear},
                                          {"gaussian", RbfKernel::gaussian}});
  options.rbf.degree = rbf_degree;
  options.rbf.smoothing = rbf_smoothing;
  options.rbf.epsilon = rbf_epsilon;
  options.periodic = search.periodic;
  options.images = search.images;
  options.device = search.device;
  options.threads = search.threads;
  check_transfer_options(options);
  const PointsView from = view_of(data), to = view_of(queries);
  nb::dict made;
  std::vector<std::string> warnings;
  for (const NamedArray& array : arrays) {
    const Attribute attribute = attribute_of(array);
    const std::string& name = attribute.name;
    const auto own = std::ranges::find(named, name, &std::pair<std::string, std::string>::first);
    const TransferMethod asked = own == named.end() ? method_of(by) : method_of(own->second);
    options.method = own == named.end() ? transfer_method(attribute, asked) : asked;
    if (attribute.texts && options.method != TransferMethod::nearest && options.method != TransferMethod::vote)
      throw Error(ErrorKind::usage, "by: '" + name + "' is text, for which it takes nearest or vote");
    if (options.method == TransferMethod::vote && attribute.texts && asked != TransferMethod::vote)
      warnings.push_back(name + " is text, so queries get the most frequent one");
    else if (options.method == TransferMethod::vote && asked != TransferMethod::vote)
      warnings.push_back(name + " has whole numbers, so queries get the most frequent one; by={\"" + name + "\": \"" +
                         by + "\"} " + (asked == TransferMethod::rbf ? "interpolates" : "averages") + " it");
    TransferResult result = without_gil([&] { return transfer(from, to, rows, {&attribute, 1}, options); });
    made[name.c_str()] = to_numpy(std::move(result.attributes.front()));
  }
  return nb::make_tuple(made, warnings);
}

Dictionary outliers(const Neighbors& rows, std::int64_t k, double sigma, int threads) {
  OutlierResult result = without_gil([&] { return find_outliers(rows, {.k = k, .sigma = sigma}, threads); });
  nb::dict made;
  const std::size_t size = result.is_outlier.size();
  made["is_outlier"] = to_numpy(std::move(result.is_outlier), {size});
  made["mean"] = result.mean;
  made["deviation"] = result.deviation;
  made["threshold"] = result.threshold;
  made["count"] = result.outliers;
  return made;
}

template <class T>
nb::ndarray<nb::numpy, T> column(Array<T>&& values) {
  const std::size_t size = values.size();
  return to_numpy(std::move(values), {size});
}

/// The unit of a search on the sky, by its name.
using Sky = std::optional<std::string>;

DensityBall ball_of(int dimensions, const Sky& sky) { return {dimensions, sky ? angle_unit(*sky) : std::nullopt}; }

/// With the keys of the command's report.
Dictionary statistics(const Neighbors& rows, int dimensions, const Sky& sky, int threads) {
  const DensityBall ball = ball_of(dimensions, sky);
  const DistanceStatistics result = without_gil([&] { return distance_statistics(rows, ball, threads); });
  nb::list ranks;
  for (const RankStatistics& rank : result.ranks) {
    nb::dict made;
    made["rank"] = rank.rank;
    made["queries"] = rank.queries;
    for (const auto& [name, value] : {std::pair{"mean", rank.mean},
                                      {"median", rank.median},
                                      {"p95", rank.p95},
                                      {"p99", rank.p99},
                                      {"max", rank.max},
                                      {"deviation", rank.deviation},
                                      {"rms", rank.rms}})
      made[name] = value;
    ranks.append(made);
  }
  nb::dict density;
  density["p5"] = result.density.p5;
  density["median"] = result.density.median;
  density["p95"] = result.density.p95;
  density["coincident"] = result.density.coincident;
  nb::dict made;
  made["ranks"] = ranks;
  made["empty_rows"] = result.empty_rows;
  made["density"] = density;
  return made;
}

Dictionary accuracy_dict(const Accuracy& a) {
  nb::dict made;
  made["queries"] = a.judged;
  made["recall"] = a.recall;
  made["identical_rows"] = a.identical;
  made["distance_ratio"] = a.distance_ratio;
  made["all_correct"] = a.all_correct;
  made["faulty_rows"] = a.faulty;
  made["first_fault"] = a.first_fault;
  made["nearer_rows"] = a.nearer;
  return made;
}

/// Judges rows by nanoflann, or by a reference if there is one.
Dictionary verify(const HostArray& data, const std::optional<HostArray>& queries, const Neighbors& rows,
                  const GivenGroups& groups, const Neighbors* reference, std::int64_t sample, bool exact,
                  const SearchOptions& search, nb::handle progress) {
  AccuracyOptions options;
  options.sample = sample;
  options.self_query = !queries;
  options.include_self = search.include_self;
  options.exact = exact;
  options.radius = search.radius;
  options.periodic = search.periodic;
  options.images = search.images;
  options.sky = search.sky;
  if (groups) options.groups = groups_of(groups);
  options.threads = search.threads;
  options.on_progress = [watch = Watch(progress)](double fraction) mutable { watch("verify", fraction); };
  const Points from = copy_of(data);
  const Points to = queries ? copy_of(*queries) : from;
  return accuracy_dict(without_gil([&] {
    if (!reference) return measure_accuracy(from, to, rows, options);
    check_reference(*reference, to.size(), from.size(), "reference", options.images);
    return compare(from, to, rows, *reference, options);
  }));
}

View view_from(const std::string& name, const std::optional<std::vector<double>>& direction) {
  using Kind = View::Kind;
  if (!direction)
    return {one_of<Kind>("view", name,
                         {{"auto", Kind::automatic}, {"top", Kind::top}, {"front", Kind::front}, {"iso", Kind::iso}})};
  View view{Kind::direction};
  if (direction->size() != 3) throw Error(ErrorKind::usage, "view expects auto, top, front, iso or three numbers");
  std::ranges::copy(*direction, view.direction.begin());
  return view;
}

/// (rows x columns x 3 of uint8, the bytes of a PNG).
nb::typed<nb::tuple, nb::ndarray<nb::numpy, std::uint8_t>, nb::bytes> picture(
    const HostArray& points, const HostArray& colors, const std::string& view,
    const std::optional<std::vector<double>>& direction, int width, int height, const std::string& label,
    std::optional<std::pair<double, double>> range, const std::string& scale, int threads, bool with_png) {
  RenderOptions options;
  options.view = view_from(view, direction);
  options.width = width;
  options.height = height;
  options.label = label;
  options.range = range;
  options.scale =
      one_of<ColorScale>("color_scale", scale,
                         {{"auto", ColorScale::automatic}, {"linear", ColorScale::linear}, {"log", ColorScale::log}});
  options.threads = threads;
  const PointsView cloud = view_of(points);
  std::string png;
  Image image = without_gil([&] {
    Image made =
        colors.dtype() == nb::dtype<std::uint8_t>()
            ? render_rgb(cloud, {static_cast<const std::uint8_t*>(colors.data()), colors.size()}, options).image
            : render(cloud, {static_cast<const float*>(colors.data()), colors.size()}, options).image;
    if (with_png) png = png_bytes(made);
    return made;
  });
  const std::size_t rows = static_cast<std::size_t>(image.height), columns = static_cast<std::size_t>(image.width);
  return nb::make_tuple(to_numpy(std::move(image.rgb), {rows, columns, std::size_t{3}}),
                        nb::bytes(png.data(), png.size()));
}

}  // namespace

void add_products(nb::module_& module) {
  module.def("transfer", transfer_arrays, nb::arg("data"), nb::arg("queries"), nb::arg("rows"), nb::arg("attributes"),
             nb::arg("by"), nb::arg("named"), nb::arg("rbf_kernel"), nb::arg("rbf_degree"), nb::arg("rbf_smoothing"),
             nb::arg("rbf_epsilon"), nb::arg("options"));
  module.def("outliers", outliers, nb::arg("rows"), nb::arg("k"), nb::arg("sigma"), nb::arg("threads"));
  module.def(
      "mean_distances",
      [](const Neighbors& rows, std::int64_t k, int threads) {
        return column(without_gil([&] { return mean_distances(rows, k, threads); }));
      },
      nb::arg("rows"), nb::arg("k"), nb::arg("threads"));
  module.def(
      "median_distances",
      [](const Neighbors& rows, int threads) {
        return column(without_gil([&] { return median_distances(rows, threads); }));
      },
      nb::arg("rows"), nb::arg("threads"));
  module.def(
      "local_outlier_factors",
      [](const Neighbors& rows, int threads) {
        return column(without_gil([&] { return LocalOutlierFactors(one_block(rows), threads).of(rows, threads); }));
      },
      nb::arg("rows"), nb::arg("threads"));
  module.def(
      "densities",
      [](const Neighbors& rows, int dimensions, const Sky& sky, int threads) {
        return column(without_gil([&] { return densities(rows, ball_of(dimensions, sky), threads); }));
      },
      nb::arg("rows"), nb::arg("dimensions"), nb::arg("sky").none(), nb::arg("threads"));
  module.def(
      "histogram",
      [](const Neighbors& rows, int dimensions, const std::string& quality, int threads) {
        return without_gil(
            [&] { return histogram_svg(rows, distance_statistics(rows, dimensions, threads), quality); });
      },
      nb::arg("rows"), nb::arg("dimensions"), nb::arg("quality"), nb::arg("threads"));
  module.def("statistics", statistics, nb::arg("rows"), nb::arg("dimensions"), nb::arg("sky").none(),
             nb::arg("threads"));
  module.def("verify", verify, nb::arg("data"), nb::arg("queries").none(), nb::arg("rows"), nb::arg("groups").none(),
             nb::arg("reference").none(), nb::arg("sample"), nb::arg("exact"), nb::arg("options"),
             nb::arg("progress").none());
  module.def("picture", picture, nb::arg("points"), nb::arg("colors"), nb::arg("view"), nb::arg("direction").none(),
             nb::arg("width"), nb::arg("height"), nb::arg("label"), nb::arg("range").none(), nb::arg("scale"),
             nb::arg("threads"), nb::arg("with_png"));
}

}  // namespace kann::python
