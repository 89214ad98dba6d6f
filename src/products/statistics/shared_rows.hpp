// Statistics and histogram of rows that several processes share.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "kann/io.hpp"
#include "kann/statistics.hpp"

namespace kann::statistics {

/// Replaces each number by its sum over all processes that share the rows of a result, such as by MPI_Allreduce(). The
/// processes make the same calls in the same order, each with the same number of counts. Null: there is one process.
using SumOverProcesses = std::function<void(std::span<std::int64_t> counts)>;

/// kann::distance_statistics() of all rows. Each process passes its own rows (possibly none) with the same k, and all
/// get the same statistics, bit for bit as from a single process. @throws as that, and what `sum_over_processes`
/// throws.
DistanceStatistics distance_statistics(const RowBlocks& rows, const DensityBall& ball, int threads,
                                       const SumOverProcesses& sum_over_processes);

/// Bytes of memory that distance_statistics() takes for rows of k neighbours.
double statistics_bytes(std::int64_t k, int threads);

/// kann::histogram_svg() of all rows. Each process passes its own rows and the statistics of all rows, and each gets
/// the whole picture. @throws as that, and what `sum_over_processes` throws.
std::string histogram_svg(const RowBlocks& rows, const DistanceStatistics& of_all,
                          const SumOverProcesses& sum_over_processes, std::string_view quality);

}  // namespace kann::statistics
