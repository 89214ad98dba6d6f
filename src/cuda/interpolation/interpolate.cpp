#include <algorithm>

#include "cuda/interpolation/backend.hpp"
#include "cuda/interpolation/systems.hpp"
#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/on_device.hpp"
#include "cuda/runtime/transfer.hpp"

namespace kann::cuda {
namespace {

using interpolation::QueryState;
using interpolation::RbfInput;
using interpolation::RbfValues;

/// The number of queries on the device at a time: with 16 neighbours and one attribute, they take 100 MB.
constexpr std::int64_t k_tile = std::int64_t{1} << 20;

/// One interpolation on the current device.
class Interpolation {
 public:
  explicit Interpolation(const RbfInput& input)
      : input_(input),
        points_(static_cast<std::int64_t>(input.data.size()) / input.dimensions),
        data_(upload(input.data.data(), std::ssize(input.data))),
        columns_(pool_, points_ * std::ssize(input.columns)) {
    for (std::size_t c = 0; c < input.columns.size(); ++c)
      copy(input.columns[c].data(), points_, columns_.data() + static_cast<std::int64_t>(c) * points_);
  }

  void run(std::int64_t begin, std::int64_t end, RbfValues& out) {
    const std::int64_t count = end - begin, k = input_.k;
    const Buffer<double> queries = upload(input_.queries.data() + begin * input_.dimensions, count * input_.dimensions);
    const Buffer<std::int32_t> ids = upload(input_.ids.data() + begin * k, count * k);
    const Buffer<double> values(pool_, count * std::ssize(input_.columns));
    const Buffer<QueryState> states(pool_, count);
    interpolate_systems({.d_data = data_.data(),
                         .d_queries = queries.data(),
                         .d_ids = ids.data(),
                         .d_columns = columns_.data(),
                         .d_values = values.data(),
                         .d_states = states.data(),
                         .points = points_,
                         .queries = count,
                         .k = static_cast<int>(k),
                         .dimensions = input_.dimensions,
                         .attributes = static_cast<int>(input_.columns.size()),
                         .options = input_.options},
                        stream_);
    for (std::size_t c = 0; c < input_.columns.size(); ++c)
      download(values.data() + static_cast<std::int64_t>(c) * count, count, out.columns[c].data() + begin);
    download(states.data(), count, out.states.data() + begin);
  }

 private:
  template <class T>
  Buffer<T> upload(const T* from, std::int64_t count) {
    Buffer<T> buffer(pool_, count);
    copy(from, count, buffer.data());
    return buffer;
  }

  template <class T>
  void copy(const T* from, std::int64_t count, T* d_to) {
    cuda::upload(from, static_cast<std::size_t>(count) * sizeof(T), d_to, stream_, input_.threads);
  }

  /// Copies `count` values to the host. Blocks.
  template <class T>
  void download(const T* d_from, std::int64_t count, T* to) {
    cuda::download(d_from, static_cast<std::size_t>(count) * sizeof(T), to, stream_, input_.threads);
    stream_.synchronize();
  }

  const RbfInput& input_;
  const std::int64_t points_;
  const Stream stream_;
  Pool pool_{stream_};
  Buffer<double> data_;
  Buffer<double> columns_;
};

}  // namespace

RbfValues interpolate(const RbfInput& input, int index) {
  RbfValues out;
  const std::int64_t queries = input.query_count();
  out.states.resize(static_cast<std::size_t>(queries));
  for (std::size_t c = 0; c < input.columns.size(); ++c) out.columns.emplace_back(queries);
  if (queries == 0) return out;
  on_device(index, [&] {
    Interpolation interpolation(input);
    for (std::int64_t begin = 0; begin < queries; begin += k_tile)
      interpolation.run(begin, std::min(queries, begin + k_tile), out);
  });
  return out;
}

}  // namespace kann::cuda
