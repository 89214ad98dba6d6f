// The answer of a method that has run.
#pragma once

#include <utility>

#include "cuda/runtime/check.hpp"
#include "cuda/runtime/search_context.hpp"

namespace kann::cuda {

/// Downloads the answer, into the arrays of `result` if they are large enough. `index` is the current device. Blocks.
inline Answer answer_of(SearchContext& context, int index, Neighbors result) {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  Answer answer;
  answer.sample_ids = context.download_sample();
  answer.doubtful = context.doubtful;
  answer.neighbors = context.download(std::move(result));
  answer.device = {properties.name, DeviceKind::cuda, 0, static_cast<std::int64_t>(properties.totalGlobalMem), index};
  answer.steps = context.steps;
  answer.device_peak_bytes = context.pool.peak_bytes();
  answer.rows_seconds = context.rows_seconds;
  return answer;
}

}  // namespace kann::cuda
