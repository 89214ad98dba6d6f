// Data that stay on a device.
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "kann/error.hpp"

#include "cuda/answer.hpp"
#include "cuda/backend.hpp"
#include "cuda/methods.hpp"
#include "cuda/queued_search.hpp"
#include "cuda/runtime/mark.hpp"
#include "cuda/runtime/on_device.hpp"

namespace kann::cuda {
namespace {

/// The part of a problem that describes its data.
Problem data_of(const Problem& p) {
  Problem data;
  data.dimensions = p.dimensions;
  data.data = p.data;
  data.data_count = p.data_count;
  data.grid = p.grid;
  data.unit = p.unit;
  data.threads = p.threads;
  return data;
}

/// The data on the device, and what is made of them, with a stream of its own.
struct ResidentData {
  explicit ResidentData(const Problem& p) : problem(data_of(p)) { context.stream.synchronize(); }

  const Problem problem;
  std::mutex mutex;  ///< guards all members that follow
  LentWorkspace workspace;
  SearchContext context{problem, *workspace};
  Buffer<std::int32_t> rows;  ///< PreparedData::rows
  DataOrders orders{context, mutex};
};

}  // namespace

struct Index::State {
  explicit State(int index) : device(index) {}

  /// The data, with what `problem` needs of them. Blocks.
  ResidentPoints bring(const Problem& problem) {
    {
      const std::lock_guard lock(mutex);
      if (!data) data.emplace(problem);
    }
    if (data->problem.data != problem.data || data->problem.data_count != problem.data_count)
      throw Error(ErrorKind::internal, "an index was asked for other data than its own");
    const std::lock_guard lock(data->mutex);
    SearchContext& context = data->context;
    if (problem.is_rounded() && !context.data.d_given) {
      context.upload_given_data(problem.given_data);
      context.stream.synchronize();
    }
    return {context.data.d_points, problem.is_rounded() ? context.data.d_given : nullptr};
  }

  /// PreparedData::rows on the device; null if no point was skipped. Blocks.
  const std::int32_t* bring_rows(const Array<std::int32_t>& rows) {
    if (rows.empty()) return nullptr;
    const std::lock_guard lock(data->mutex);
    if (!data->rows.data()) {
      data->rows = Buffer<std::int32_t>(data->workspace->pool, static_cast<std::int64_t>(rows.size()));
      check(cudaMemcpyAsync(data->rows.data(), rows.data(), rows.size() * sizeof(std::int32_t), cudaMemcpyHostToDevice,
                            data->workspace->stream),
            "rows of the data");
      data->workspace->stream.synchronize();
    }
    return data->rows.data();
  }

  const int device;
  std::mutex mutex;  // guards the next member while it is made
  std::optional<ResidentData> data;
};

Index::Index(int index) : state_(std::make_unique<State>(index)) {}

Index::~Index() {
  try {
    if (state_->data) on_device(state_->device, [&] { state_.reset(); });
  } catch (const std::exception&) {
    static_cast<void>(state_.release());  // without its device, its memory cannot be released
  }
}

Answer Index::solve(const Problem& problem, Neighbors made) {
  problem.progress("search", 0);
  Answer answer = on_device(state_->device, [&] {
    ResultMemory result(problem, std::move(made));
    const ResidentPoints resident = state_->bring(problem);
    const LentWorkspace workspace;
    SearchContext context(problem, *workspace, resident);
    run_method(context, &state_->data->orders);
    Answer found = answer_of(context, result);
    found.device_peak_bytes += state_->data->workspace->pool.bytes();
    return found;
  });
  problem.progress("search", 1);
  return answer;
}

void Index::queue(Problem p, const problem::PreparedData& prepared, const DeviceQueries& queries) {
  if (p.query_count == 0) return;
  p.unevenness = [&prepared] { return prepared.unevenness(); };
  on_device(state_->device, [&] {
    Mark before;
    set_on(queries.stream, state_->device, before);
    const ResidentPoints resident = state_->bring(p);
    const std::int32_t* const d_rows = state_->bring_rows(prepared.rows);
    queue_search(p,
                 {resident, d_rows, prepared.frame, state_->data->orders.indexes(), state_->data->workspace.memory()},
                 queries);
  });
}

}  // namespace kann::cuda
