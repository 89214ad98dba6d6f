// Searches for all neighbours within a radius.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <optional>
#include <utility>

#include "kann/radius.hpp"

#include "given_groups.hpp"
#include "host_index.hpp"
#include "module.hpp"

namespace kann::python {
namespace {

using Lists = nb::typed<nb::tuple, nb::any, nb::any, nb::any, nb::object>;

/// Runs `search(options)` without the GIL. Returns indptr, ids, distances and the report, or None in its place: it
/// takes as long as the search of a few queries.
template <class Search>
Lists run(const SearchOptions& options, bool is_self, bool has_report, nb::handle progress, Search search) {
  RadiusResult result = without_gil(options, progress, search);
  nb::object report = nb::none();
  if (has_report) {
    report = report_of(result.report, options, is_self);
    report["k"] = "all";
  }
  NeighborLists& lists = result.lists;
  const std::size_t rows = lists.begins.size(), neighbors = lists.ids.size();
  return nb::make_tuple(to_numpy(std::move(lists.begins), {rows}), to_numpy(std::move(lists.ids), {neighbors}),
                        to_numpy(std::move(lists.distances), {neighbors}), report);
}

auto list_limited(bool counts) { return counts ? count_radius_limited : search_radius_limited; }

Lists search_arrays(const HostArray& data, const std::optional<HostArray>& queries, const GivenGroups& groups,
                    const GivenLimits& limits, const SearchOptions& options, bool counts, nb::handle progress) {
  const PointsView view = view_of(data);
  const std::optional<PointsView> points = queries ? std::optional(view_of(*queries)) : std::nullopt;
  const std::optional<Groups> labels = groups ? std::optional(groups_of(groups)) : std::nullopt;
  return run(options, !queries, true, progress, [&](const SearchOptions& all) {
    if (limits) return list_limited(counts)({view, points, nullptr, labels}, limits_of(limits), all);
    if (groups) return (counts ? count_radius_groups : search_radius_groups)(view, points, *labels, all);
    if (counts) return points ? count_radius(view, *points, all) : count_radius_self(view, all);
    return points ? search_radius(view, *points, all) : search_radius_self(view, all);
  });
}

Lists search_index(HostIndex& index, const std::optional<HostArray>& queries, const GivenLimits& limits,
                   const SearchOptions& options, bool counts, nb::handle progress, bool has_report) {
  refuse_in_callback("an index cannot be searched");
  const std::optional<PointsView> points = queries ? std::optional(view_of(*queries)) : std::nullopt;
  return index.use([&](const Index& used) {
    return run(options, !queries, has_report, progress, [&](const SearchOptions& all) {
      if (limits) return list_limited(counts)({index.data(), points, &used}, limits_of(limits), all);
      if (counts) return points ? used.count_radius(*points, all) : used.count_radius_self(all);
      return points ? used.search_radius(*points, all) : used.search_radius_self(all);
    });
  });
}

}  // namespace

void add_lists(nb::module_& module, nb::class_<HostIndex>& index) {
  module.def("search_radius", search_arrays, nb::arg("data"), nb::arg("queries").none(), nb::arg("groups").none(),
             nb::arg("limits").none(), nb::arg("options"), nb::arg("counts"), nb::arg("progress").none());
  index.def("search_radius", search_index, nb::arg("queries").none(), nb::arg("limits").none(), nb::arg("options"),
            nb::arg("counts"), nb::arg("progress").none(), nb::arg("has_report") = true);
}

}  // namespace kann::python
