// The answer of a method that has run.
#pragma once

#include <utility>

#include "cuda/runtime/result_memory.hpp"
#include "cuda/runtime/search_context.hpp"

namespace kann::cuda {

/// Downloads the answer to the memory of the result, from the current device. Blocks.
inline Answer answer_of(SearchContext& context, ResultMemory& result) {
  Answer answer;
  answer.neighbors = context.download(result.take());
  answer.lists = std::move(context.lists);
  answer.device = Workspaces::of_device().device();
  answer.steps = context.steps;
  answer.device_peak_bytes = context.pool.peak_bytes();
  return answer;
}

}  // namespace kann::cuda
