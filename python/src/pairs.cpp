// Pairs of points, chosen among neighbours.
#include "kann/pairs.hpp"

#include <nanobind/stl/pair.h>
#include <span>
#include <utility>

#include "module.hpp"

namespace kann::python {
namespace {

Neighbors mutual(const Neighbors& of_queries, const Neighbors& of_data) {
  const ReleasedGil released;
  return mutual_pairs(of_queries, of_data);
}

/// The pairs, and OneToOnePairs::cut_off.
std::pair<Neighbors, std::int64_t> one_to_one(const Neighbors& rows, std::int64_t data_points) {
  const ReleasedGil released;
  OneToOnePairs chosen = one_to_one_pairs(rows, data_points);
  return {std::move(chosen.pairs), chosen.cut_off};
}

/// The same of lists as search_radius() of the module returns them.
Neighbors one_to_one_of_lists(const HostArray& indptr, const HostArray& ids, const HostArray& distances,
                              std::int64_t data_points) {
  const Rows lists{0,
                   static_cast<std::int64_t>(indptr.size()) - 1,
                   0,
                   std::span(static_cast<const std::int64_t*>(indptr.data()), indptr.size()),
                   std::span(static_cast<const std::int32_t*>(ids.data()), ids.size()),
                   std::span(static_cast<const float*>(distances.data()), distances.size())};
  const ReleasedGil released;
  return one_to_one_pairs(lists, data_points).pairs;
}

}  // namespace

void add_pairs(nb::module_& module) {
  module.def("mutual_pairs", mutual, nb::arg("of_queries"), nb::arg("of_data"));
  module.def("one_to_one_pairs", one_to_one, nb::arg("rows"), nb::arg("data_points"));
  module.def("one_to_one_lists", one_to_one_of_lists, nb::arg("indptr"), nb::arg("ids"), nb::arg("distances"),
             nb::arg("data_points"));
}

}  // namespace kann::python
