#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "cuda/interpolation/assemble.cuh"
#include "cuda/interpolation/systems.hpp"
#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/launch.cuh"
#include "rbf/cublas.hpp"
#include "rbf/device_rbf.hpp"

namespace kann::bench {
namespace {

using cuda::RbfSystems;

/// Numbers of a system in shared memory.
__host__ __device__ int shared_numbers(int rows) { return rows * (rows + 1) + 3 * rows + 9; }

/// Writes the systems for cuBLAS, by columns (they are symmetric), as the library assembles them. A warp per query; all
/// queries have systems of `rows` rows.
__global__ void assemble_kernel(RbfSystems s, int rows, double* d_matrices, double* d_sides) {
  extern __shared__ double memory[];
  const int lane = static_cast<int>(threadIdx.x);
  double* const after = memory + rows * (rows + 1);
  const cuda::SystemTile tile{memory, rows + 1, rows, after, after + 3 * rows};
  for (std::int64_t query = blockIdx.x; query < s.queries; query += gridDim.x) {
    const cuda::TeamQuery q = cuda::team_query(s, query);
    cuda::assemble(s, q, tile, lane, 32, [] { __syncwarp(); });
    for (int i = lane; i < rows * rows; i += 32) d_matrices[query * rows * rows + i] = tile.at(i / rows, i % rows);
    for (int i = lane; i < rows; i += 32) d_sides[query * rows + i] = tile.at(i, tile.rhs);
    __syncwarp();  // before the next system
  }
}

__global__ void pointers_kernel(double* d_matrices, double* d_sides, int rows, double** d_matrix, double** d_side,
                                std::int64_t count) {
  for (std::int64_t i = cuda::first_element(); i < count; i += cuda::element_stride()) {
    d_matrix[i] = d_matrices + i * rows * rows;
    d_side[i] = d_sides + i * rows;
  }
}

__global__ void sums_kernel(RbfSystems s, int rows, const double* d_sides) {
  for (std::int64_t query = cuda::first_element(); query < s.queries; query += cuda::element_stride()) {
    double sum = 0;
    for (int i = 0; i < s.k; ++i) sum = fma(d_sides[query * rows + i], s.d_columns[s.d_ids[query * s.k + i]], sum);
    s.d_values[query] = sum;
  }
}

/// All arrays of one measurement on the device.
class Measurement {
 public:
  Measurement(const interpolation::RbfInput& input, int repeat)
      : input_(input),
        repeat_(repeat),
        rows_(static_cast<int>(input.k) +
              interpolation::monomial_count(interpolation::monomials_of(input.options.degree, input.dimensions))),
        data_(upload(input.data.data(), std::ssize(input.data))),
        queries_(upload(input.queries.data(), std::ssize(input.queries))),
        ids_(upload(input.ids.data(), std::ssize(input.ids))),
        column_(upload(input.columns[0].data(), std::ssize(input.columns[0]))),
        values_(pool_, input.query_count()),
        states_(pool_, input.query_count()) {}

  DeviceTimes run() {
    DeviceTimes out;
    const RbfSystems systems = systems_to(values_.data());
    out.kann = time([&] { cuda::interpolate_systems(systems, stream_); });
    try {
      const Cublas cublas(stream_);
      measure_cublas(cublas, out);
    } catch (const std::runtime_error& e) {
      out.no_cublas = e.what();
    }
    return out;
  }

 private:
  void measure_cublas(const Cublas& cublas, DeviceTimes& out) {
    const std::int64_t count = input_.query_count(), n = rows_;
    cuda::Buffer<double> matrices(pool_, count * n * n), sides(pool_, count * n), values(pool_, count);
    cuda::Buffer<double*> matrix(pool_, count), side(pool_, count);
    cuda::Buffer<int> pivots(pool_, count * n), infos(pool_, count);
    const RbfSystems systems = systems_to(values.data());
    const int bytes = shared_numbers(rows_) * static_cast<int>(sizeof(double));
    cuda::check(cudaFuncSetAttribute(assemble_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "assemble");
    pointers_kernel<<<cuda::blocks_for(count), cuda::k_block_threads, 0, stream_>>>(
        matrices.data(), sides.data(), rows_, matrix.data(), side.data(), count);
    cuda::check_launch("pointers_kernel");
    out.cublas = time([&] {
      assemble_kernel<<<cuda::blocks_for(count, 1), 32, static_cast<std::size_t>(bytes), stream_>>>(
          systems, rows_, matrices.data(), sides.data());
      cuda::check_launch("assemble_kernel");
      cublas.solve(rows_, matrix.data(), side.data(), pivots.data(), infos.data(), static_cast<int>(count));
      sums_kernel<<<cuda::blocks_for(count), cuda::k_block_threads, 0, stream_>>>(systems, rows_, sides.data());
      cuda::check_launch("sums_kernel");
    });
    out.largest_difference = difference(download(values), download(values_));
  }

  double difference(const std::vector<double>& a, const std::vector<double>& b) const {
    double largest = 0, size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      largest = std::max(largest, std::abs(a[i] - b[i]));
      size = std::max(size, std::abs(a[i]));
    }
    return largest / size;
  }

  RbfSystems systems_to(double* d_values) const {
    return {.d_data = data_.data(),
            .d_queries = queries_.data(),
            .d_ids = ids_.data(),
            .d_columns = column_.data(),
            .d_values = d_values,
            .d_states = states_.data(),
            .points = std::ssize(input_.columns[0]),
            .queries = input_.query_count(),
            .k = static_cast<int>(input_.k),
            .dimensions = input_.dimensions,
            .attributes = 1,
            .options = input_.options};
  }

  template <class F>
  Spread time(F&& queue) {
    return measure(repeat_, [&] {
      cuda::Event begin, end;
      begin.record(stream_);
      queue();
      end.record(stream_);
      end.synchronize();
      return end.seconds_since(begin);
    });
  }

  template <class T>
  cuda::Buffer<T> upload(const T* from, std::int64_t count) {
    cuda::Buffer<T> buffer(pool_, count);
    cuda::check(cudaMemcpyAsync(buffer.data(), from, static_cast<std::size_t>(count) * sizeof(T),
                                cudaMemcpyHostToDevice, stream_),
                "upload");
    return buffer;
  }

  std::vector<double> download(const cuda::Buffer<double>& from) const {
    std::vector<double> to(static_cast<std::size_t>(from.size()));
    cuda::check(cudaMemcpyAsync(to.data(), from.data(), to.size() * sizeof(double), cudaMemcpyDeviceToHost, stream_),
                "download");
    stream_.synchronize();
    return to;
  }

  const interpolation::RbfInput& input_;
  const int repeat_, rows_;
  const cuda::Stream stream_;
  cuda::Pool pool_{stream_};
  cuda::Buffer<double> data_, queries_;
  cuda::Buffer<std::int32_t> ids_;
  cuda::Buffer<double> column_, values_;
  cuda::Buffer<interpolation::QueryState> states_;
};

}  // namespace

DeviceTimes measure_on_device(const interpolation::RbfInput& input, int repeat) {
  return Measurement(input, repeat).run();
}

}  // namespace kann::bench
