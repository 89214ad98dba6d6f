// The properties that every search has, each as a check of one case.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "search/search_case.hpp"

namespace kann::fuzz {

/// How a case contradicts a property.
struct Difference {
  std::string what;
  Where where;  ///< of the run that is wrong, or that differs from that of one thread on the CPU
  Answer answer = Answer::rows;
  std::optional<SearchCase> other = {};  ///< what runs there, if it is not the case itself
};

struct Check {
  std::string_view name;
  bool needs_cuda;
  std::optional<Difference> (*run)(const SearchCase& c);  ///< none: the property holds
};

/// What is compared are rows, and with a radius lists, counts, half of the lists and clusters: of all points or by
/// groups, in space, on the sky and in boxes with right angles or slanted, by nearest images or all.
///
/// brute-force: answers are those of their definitions, in all bits. index: an index gives the bytes
/// of a search. threads: any number of them, and any vector target, gives the same bytes. pieces: a row does not depend
/// on which other queries there are. self: with include_self, a self-query is a search of the data in the data. cuda: a
/// GPU gives the bytes of the CPU, with both methods and, where it runs, with the method `paper`.
std::span<const Check> checks();

}  // namespace kann::fuzz
