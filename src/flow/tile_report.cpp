#include "flow/tile_report.hpp"

#include <algorithm>
#include <utility>

namespace kann::flow {

void keep_last(SearchReport report, TileReport& all) {
  const StepSeconds before = all.last.steps;
  const std::int64_t peak = all.last.device_peak_bytes;
  all.last = std::move(report);
  all.last.device_peak_bytes = std::max(peak, all.last.device_peak_bytes);
  StepSeconds& steps = all.last.steps;
  for (double StepSeconds::*step :
       {&StepSeconds::prepare, &StepSeconds::start_up, &StepSeconds::upload, &StepSeconds::encode, &StepSeconds::sort,
        &StepSeconds::rank, &StepSeconds::boxes, &StepSeconds::select, &StepSeconds::rows, &StepSeconds::download})
    steps.*step += before.*step;
}

void TileReport::add(const RowStore& store, Communicator& ranks) {
  const RowCounts& counts = store.counts();
  rows = {ranks.sum(counts.neighbors), ranks.sum(counts.full_rows), ranks.sum(counts.past_float32)};
  temporary_bytes += static_cast<std::uint64_t>(ranks.sum(static_cast<std::int64_t>(store.file_bytes())));
  sent_bytes += static_cast<std::uint64_t>(ranks.sum(static_cast<std::int64_t>(store.sent_bytes())));
}

}  // namespace kann::flow
