// Clusters of a cloud.
#include "kann/clusters.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <string>
#include <utility>
#include <vector>

#include "module.hpp"

namespace kann::python {
namespace {

using Labels = nb::typed<nb::tuple, nb::any, std::vector<std::string>>;

/// Returns the labels, and what there is to warn of. The radius is that of `options`.
Labels cluster_array(const HostArray& points, std::int64_t min_points, const SearchOptions& options,
                     nb::handle progress) {
  const PointsView view = view_of(points);
  ClusterResult result = without_gil(options, progress, [&](const SearchOptions& all) {
    return cluster(view, {.radius = all.radius.value_or(0),
                          .min_points = min_points,
                          .periodic = all.periodic,
                          .sky = all.sky,
                          .invalid = all.invalid,
                          .device = all.device,
                          .threads = all.threads,
                          .on_progress = all.on_progress});
  });
  const std::size_t count = result.labels.size();
  return nb::make_tuple(to_numpy(std::move(result.labels), {count}),
                        in_words_of_python(std::move(result.report.warnings)));
}

}  // namespace

void add_clusters(nb::module_& module) {
  module.def("cluster", cluster_array, nb::arg("points"), nb::arg("min_points"), nb::arg("options"),
             nb::arg("progress").none());
}

}  // namespace kann::python
