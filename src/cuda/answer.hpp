// The answer of a method that has run.
#pragma once

#include <utility>

#include "cuda/runtime/check.hpp"
#include "cuda/runtime/result_memory.hpp"
#include "cuda/runtime/search_context.hpp"

namespace kann::cuda {

/// Downloads the answer to the memory of the result. `index` is the current device. Blocks.
inline Answer answer_of(SearchContext& context, int index, ResultMemory& result) {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  Answer answer;
  answer.neighbors = context.download(result.take());
  answer.lists = std::move(context.lists);
  answer.device = {properties.name, DeviceKind::cuda, 0, static_cast<std::int64_t>(properties.totalGlobalMem)};
  answer.steps = context.steps;
  answer.device_peak_bytes = context.pool.peak_bytes();
  return answer;
}

}  // namespace kann::cuda
