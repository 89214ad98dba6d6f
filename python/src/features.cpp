// The shape of neighbourhoods.
#include "kann/features.hpp"

#include <array>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kann/radius.hpp"
#include "kann/search.hpp"

#include "module.hpp"

namespace kann::python {
namespace {

Feature feature_of(const std::string& word) {
  return one_of<Feature>("names", word,
                         {{"normals", Feature::normals},
                          {"curvature", Feature::curvature},
                          {"linearity", Feature::linearity},
                          {"planarity", Feature::planarity},
                          {"sphericity", Feature::sphericity},
                          {"verticality", Feature::verticality},
                          {"omnivariance", Feature::omnivariance},
                          {"density", Feature::density}});
}

/// ({name: values}, warnings). @param all of all neighbours within the radius, not of the k nearest
nb::typed<nb::tuple, nb::typed<nb::dict, nb::str, nb::ndarray<nb::numpy>>, std::vector<std::string>> feature_arrays(
    const HostArray& data, const std::optional<HostArray>& queries, const std::vector<std::string>& names,
    const std::optional<std::vector<double>>& viewpoint, bool all, const SearchOptions& search, nb::handle progress) {
  FeatureOptions options;
  options.features.clear();
  for (const std::string& name : names) options.features.push_back(feature_of(name));
  if (viewpoint) options.orientation.viewpoint = {(*viewpoint)[0], (*viewpoint)[1], (*viewpoint)[2]};
  options.with_query = !queries && !search.include_self;
  options.periodic = search.periodic;
  options.threads = search.threads;
  const PointsView from = view_of(data), to = queries ? view_of(*queries) : from;
  const auto describe = [&](const auto& found, const auto& rows) {
    return std::pair(features(from, to, rows, options), found.report.warnings);
  };
  auto [result, warnings] = without_gil(search, progress, [&](const SearchOptions& asked) {
    if (all) {
      const RadiusResult found = queries ? search_radius(from, to, asked) : search_radius_self(from, asked);
      return describe(found, found.lists);
    }
    const SearchResult found = queries ? kann::search(from, to, asked) : search_self(from, asked);
    return describe(found, found.neighbors);
  });
  nb::dict made;
  for (Attribute& column : result.attributes) made[column.name.c_str()] = to_numpy(std::move(column.values));
  return nb::make_tuple(made, in_words_of_python(std::move(warnings)));
}

}  // namespace

void add_features(nb::module_& module) {
  module.def("features", feature_arrays, nb::arg("data"), nb::arg("queries").none(), nb::arg("names"),
             nb::arg("viewpoint").none(), nb::arg("all"), nb::arg("options"), nb::arg("progress").none());
}

}  // namespace kann::python
