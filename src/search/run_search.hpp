// The steps of a search: prepare the problem, choose a device, search, report.
#pragma once

#include <functional>

#include "kann/search.hpp"

#include "cpu/backend.hpp"
#include "problem/prepare.hpp"

namespace kann::detail {

/// The answer to what `prepare` returns. Blocks.
/// @param index of the problem's data, for the CPU; null: they are searched once
/// @throws Error of any kind, and what `prepare` throws.
SearchResult run_search(const SearchOptions& options, cpu::Index* index,
                        const std::function<problem::Prepared()>& prepare);

}  // namespace kann::detail
