// The shape of neighbourhoods.
#include "kann/features.hpp"

#include <algorithm>
#include <array>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kann/neighbors.hpp"
#include "kann/radius.hpp"
#include "kann/vectors.hpp"

#include "module.hpp"

namespace kann::python {
namespace {

using Columns = nb::typed<nb::dict, nb::str, nb::ndarray<nb::numpy>>;
using Names = std::vector<std::string>;
using Wanted = std::vector<std::string>;
using Viewpoint = std::optional<std::vector<double>>;

FeatureOptions options_of(const Names& names, const Viewpoint& viewpoint, bool with_query,
                          const SearchOptions& search) {
  FeatureOptions options;
  options.features.clear();
  for (const std::string& name : names) options.features.push_back(feature_of(name).value());
  if (viewpoint) options.orientation.viewpoint = {(*viewpoint)[0], (*viewpoint)[1], (*viewpoint)[2]};
  options.with_query = with_query;
  options.periodic = search.periodic;
  options.images = search.images;
  options.threads = search.threads;
  return options;
}

/// {name: values}. @param rows of the search with these options: Neighbors or NeighborLists
template <class Rows>
Columns columns_of(const HostArray& data, const HostArray& queries, const Rows& rows, const FeatureOptions& options) {
  const PointsView from = view_of(data), to = view_of(queries);
  FeatureResult result;
  {
    const ReleasedGil released;
    result = features(from, to, rows, options);
  }
  nb::dict made;
  for (Attribute& column : result.attributes) made[column.name.c_str()] = to_numpy(std::move(column.values));
  return made;
}

Columns of_rows(const HostArray& data, const HostArray& queries, const Neighbors& rows, const Names& names,
                const Viewpoint& viewpoint, bool with_query, const SearchOptions& search) {
  return columns_of(data, queries, rows, options_of(names, viewpoint, with_query, search));
}

template <class T>
Array<T> array_of(const HostArray& values) {
  const auto* const first = static_cast<const T*>(values.data());
  return Array<T>(first, first + values.size());
}

/// The same of lists as search_radius() of the module returns them.
Columns of_lists(const HostArray& data, const HostArray& queries, const HostArray& indptr, const HostArray& ids,
                 const HostArray& distances, const Names& names, const Viewpoint& viewpoint, bool with_query,
                 const SearchOptions& search) {
  const NeighborLists lists{array_of<std::int64_t>(indptr), array_of<std::int32_t>(ids), array_of<float>(distances)};
  FeatureOptions options = options_of(names, viewpoint, with_query, search);
  options.radius = search.radius;
  return columns_of(data, queries, lists, options);
}

template <class T>
nb::object array_or_none(bool is_wanted, Array<T> values, const std::vector<std::size_t>& shape) {
  return is_wanted ? nb::cast(to_numpy(std::move(values), shape)) : nb::none();
}

/// (distances, vectors, shifts) of each neighbour; None for those that are not wanted. @param shape of the distances
template <class Rows>
nb::tuple vectors_of(const HostArray& data, const HostArray& queries, const Rows& rows, const SearchOptions& search,
                     const Wanted& wanted, const std::vector<std::size_t>& shape) {
  const PointsView from = view_of(data), to = view_of(queries);
  const auto wants = [&](const char* what) { return std::ranges::count(wanted, what) > 0; };
  NeighborVectors found;
  {
    const ReleasedGil released;
    found = neighbor_vectors(from, to, rows,
                             {.distances = wants("distances"),
                              .vectors = wants("vectors"),
                              .shifts = wants("shifts"),
                              .periodic = search.periodic,
                              .images = search.images,
                              .sky = search.sky,
                              .threads = search.threads});
  }
  std::vector<std::size_t> of_vectors = shape;
  of_vectors.push_back(static_cast<std::size_t>(from.dimensions));
  return nb::make_tuple(array_or_none(wants("distances"), std::move(found.distances), shape),
                        array_or_none(wants("vectors"), std::move(found.vectors), of_vectors),
                        array_or_none(wants("shifts"), std::move(found.shifts), of_vectors));
}

nb::tuple vectors_of_rows(const HostArray& data, const HostArray& queries, const Neighbors& rows,
                          const SearchOptions& search, const Wanted& wanted) {
  return vectors_of(data, queries, rows, search, wanted,
                    {static_cast<std::size_t>(rows.queries), static_cast<std::size_t>(rows.k)});
}

nb::tuple vectors_of_lists(const HostArray& data, const HostArray& queries, const HostArray& indptr,
                           const HostArray& ids, const HostArray& distances, const SearchOptions& search,
                           const Wanted& wanted) {
  const NeighborLists lists{array_of<std::int64_t>(indptr), array_of<std::int32_t>(ids), array_of<float>(distances)};
  return vectors_of(data, queries, lists, search, wanted, {lists.ids.size()});
}

}  // namespace

void add_features(nb::module_& module) {
  module.attr("feature_names") = std::string(k_features);
  module.def(
      "is_feature", [](const std::string& name) { return feature_of(name).has_value(); }, nb::arg("name"));
  module.def("features", of_rows, nb::arg("data"), nb::arg("queries"), nb::arg("rows"), nb::arg("names"),
             nb::arg("viewpoint").none(), nb::arg("with_query"), nb::arg("options"));
  module.def("features_of_lists", of_lists, nb::arg("data"), nb::arg("queries"), nb::arg("indptr"), nb::arg("ids"),
             nb::arg("distances"), nb::arg("names"), nb::arg("viewpoint").none(), nb::arg("with_query"),
             nb::arg("options"));
  module.def("vectors", vectors_of_rows, nb::arg("data"), nb::arg("queries"), nb::arg("rows"), nb::arg("options"),
             nb::arg("wanted"));
  module.def("vectors_of_lists", vectors_of_lists, nb::arg("data"), nb::arg("queries"), nb::arg("indptr"),
             nb::arg("ids"), nb::arg("distances"), nb::arg("options"), nb::arg("wanted"));
}

}  // namespace kann::python
