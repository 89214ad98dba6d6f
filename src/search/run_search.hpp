// The steps of a search: prepare the problem, choose a device, search, report.
#pragma once

#include <functional>

#include "kann/search.hpp"

#include "problem/prepare.hpp"
#include "search/kept_indexes.hpp"

namespace kann::detail {

/// Solves the problem that `prepare` returns. Blocks.
/// @param index the index of the problem's data; null if the data are searched only once
/// @param on_rows as search() in search/search.hpp says
/// @throws Error of any kind, and what `prepare` and `on_rows` throw.
SearchResult run_search(const SearchOptions& options, KeptIndexes* index,
                        const std::function<problem::Prepared()>& prepare, const problem::OnRows& on_rows);

}  // namespace kann::detail
