// kann::Groups as Python passes them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "kann/groups.hpp"

#include "module.hpp"

namespace kann::python {

/// Labels of the data and of the queries (no queries: an array without elements), int64, and whether neighbours are of
/// other groups.
using GivenGroups = std::optional<std::tuple<HostArray, HostArray, bool>>;

/// Valid as long as the arrays.
inline Groups groups_of(const GivenGroups& given) {
  const auto& [data, queries, are_others] = *given;
  const auto labels = [](const HostArray& array) {
    return std::span(static_cast<const std::int64_t*>(array.data()), array.size());
  };
  return {labels(data), labels(queries), are_others ? GroupRule::other : GroupRule::same};
}

}  // namespace kann::python
