// The steps of a search: prepare the problem, choose a device, search, report; and what an index keeps for each device.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>

#include "kann/radius.hpp"
#include "kann/search.hpp"

#include "cpu/backend.hpp"
#include "cuda/backend.hpp"
#include "problem/prepare.hpp"
#include "search/sample_recall.hpp"

namespace kann::detail {

/// The index of each device, made at its first use. May be used by several threads.
struct KeptIndexes {
  cpu::Index cpu;

  cuda::Index& on_cuda(int index) {
    const std::lock_guard lock(mutex_);
    return cuda_.try_emplace(index, index).first->second;
  }

 private:
  std::mutex mutex_;
  std::map<int, cuda::Index> cuda_;
};

using Prepare = std::function<problem::Prepared()>;

/// A problem that has been solved, by rows of its valid points.
struct Solved {
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  problem::Prepared prepared{};
  problem::Answer answer{};
  SearchReport report{};               ///< without warnings, and what is counted in rows; total_seconds is up to now
  std::optional<RecallSample> sample;  ///< of an approximate search
};

/// Solves the problem that `prepare` returns, on the CPU or on a CUDA device. Blocks.
/// @param index the index of the problem's data; null if the data are searched only once
/// @throws Error of any kind, and what `prepare` and Problem::parts throw.
Solved solve(const SearchOptions& options, KeptIndexes* index, const Prepare& prepare);

/// kann::search() for the problem that `prepare` returns. Blocks.
/// @param parts as search_in_parts() says
/// @throws as solve().
SearchResult run_search(const SearchOptions& options, KeptIndexes* index, const Prepare& prepare,
                        const problem::RowParts& parts = {});

}  // namespace kann::detail
