// What all methods share: the stream, the memory, and the transfers to the device and back.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/mapped_memory.hpp"
#include "cuda/runtime/names.hpp"
#include "cuda/runtime/result_rows.hpp"
#include "cuda/runtime/step_timer.hpp"
#include "cuda/runtime/transfer.hpp"
#include "cuda/runtime/workspace.hpp"
#include "problem/problem.hpp"

namespace kann::cuda {

/// Data points that are on the device before a search begins.
struct ResidentPoints {
  const float* d_points = nullptr;  ///< row-major, in the frame
  const double* d_given = nullptr;  ///< the same as they were given, if the problem is rounded
};

/// One problem on one device: all work is queued on `stream`, all device memory comes from `pool`. A method reads the
/// points and writes `ids` and `distances`, any number of times.
struct SearchContext {
  /// Allocates memory for results, and for points that are not `resident`; queues the upload of these. Blocks until
  /// they have been read. `problem` and `workspace` must outlive the context. @throws Error as check().
  SearchContext(const Problem& problem, Workspace& workspace, const ResidentPoints& resident = {});

  /// For queries and results that are on the device already: `queries` and `given_queries` are as below, and ids and
  /// distances belong to another owner. Does not block, and measures no times.
  SearchContext(const Problem& problem, Workspace& workspace, const ResidentPoints& resident, Buffer<float> queries,
                Buffer<double> given_queries, std::int32_t* d_ids, float* d_distances);

  const Problem& problem;
  StreamView stream;
  Pool& pool;
  StepTimer timer;
  MappedMemory& mapped;
  StepSeconds steps;                        ///< the time of the upload, the last search and the download
  ResidentPoints data;                      ///< the data: `data_points`, or those of an index
  Buffer<float> data_points;                ///< the data in the frame, if they are not those of an index
  Buffer<double> given_data;                ///< the same as they were given, if the problem is rounded
  Buffer<float> queries;                    ///< in the frame, if they are not data points
  Buffer<double> given_queries;             ///< the same as they were given, if the problem is rounded
  Buffer<std::int32_t> ids;                 ///< query_count × k
  Buffer<float> distances;                  ///< query_count × k
  NeighborLists lists;                      ///< with Problem::list_radius: the result
  const ListsOnDevice* to_lists = nullptr;  ///< not null: it goes there, and not to `lists`

  ResultRows rows() const { return {ids.data(), distances.data(), problem.k, problem.unit}; }
  const float* d_data() const { return data.d_points; }
  const float* d_queries() const { return problem.queries_are_data() ? data.d_points + first_query() : queries.data(); }
  const double* d_given_data() const { return data.d_given; }
  const double* d_given_queries() const {
    if (!problem.queries_are_data()) return given_queries.data();
    return data.d_given ? data.d_given + first_query() : nullptr;
  }

  /// Uploads the data as they were given; for problems without queries. Queued.
  void upload_given_data(const double* given);

  /// A copy of an array of the host. Blocks until that has been read.
  template <class T>
  Buffer<T> upload_array(std::span<const T> from) {
    Buffer<T> copy(pool, static_cast<std::int64_t>(from.size()));
    cuda::upload(from.data(), from.size_bytes(), copy.data(), stream, problem.threads);
    return copy;
  }

  /// Copies the results to the host: to Problem::parts, or into the arrays of `result` if they are
  /// large enough. Blocks. @throws what these and check() throw.
  Neighbors download(Neighbors result = {});

  /// Copies an array to the host. Blocks.
  template <class T>
  void download_array(const Buffer<T>& from, T* to) {
    copy_to_host(from.data(), from.size(), to);
    stream.synchronize();
  }

 private:
  std::int64_t first_query() const { return problem.first_query * problem.dimensions; }

  template <class T>
  Buffer<T> upload(const T* from, std::int64_t count);
  /// All values are there when the stream is synchronised.
  template <class T>
  void copy_to_host(const T* d_from, std::int64_t count, T* to) {
    cuda::download(d_from, static_cast<std::size_t>(count) * sizeof(T), to, stream, problem.threads);
  }
  void download_parts();
};

}  // namespace kann::cuda
