// The parts of bench_lu; papers/no_cuda_papers.cpp defines them in builds without CUDA.
#pragma once

#include "common/program.hpp"

namespace kann::bench {

struct LuSettings {
  int max_n = 4096;
  int limit_ms = 1000;  ///< a case of one block whose single run is expected to take longer is skipped
};

/// Every factorisation at small sizes: pivots and factors are the host's, to the bit; cuSOLVER's have a small residual.
void check_lu(const Program& program, Report& report);

/// Times of LU paper, figures 6 and 7: n = 1024 … 4096, with and without pivoting.
void measure_lu(const Program& program, const LuSettings& settings, Report& report);

}  // namespace kann::bench
