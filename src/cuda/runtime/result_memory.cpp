#include "cuda/runtime/result_memory.hpp"

#include <span>
#include <system_error>
#include <utility>

#include "base/threads/copy_threads.hpp"
#include "base/threads/signal_stack.hpp"

namespace kann::cuda {
namespace {

/// Below this size, a copy to new pages takes less than 2 ms.
constexpr std::size_t k_worth_touching_bytes = std::size_t{32} << 20;

}  // namespace

ResultMemory::ResultMemory(const problem::Problem& p, Neighbors made) : result_(std::move(made)) {
  if (p.parts.take) return;
  const auto count = static_cast<std::size_t>(p.query_count * p.k);
  result_.queries = p.query_count;
  result_.k = p.k;
  if (result_.ids.size() == count) return;
  result_.ids.resize(count);
  result_.distances.resize(count);
  const std::span ids(result_.ids);
  const std::span distances(result_.distances);
  if (ids.size_bytes() + distances.size_bytes() < k_worth_touching_bytes) return;
  try {
    touched_ = std::async(std::launch::async, [ids, distances, threads = p.threads] {
      const base::SignalStack stack;
      base::touch_pages(ids, threads);
      base::touch_pages(distances, threads);
    });
  } catch (const std::system_error&) {  // no thread: the copy makes the pages
  }
}

Neighbors ResultMemory::take() {
  if (touched_.valid()) touched_.get();
  return std::move(result_);
}

}  // namespace kann::cuda
