// The parts of bench_matvec; papers/no_cuda_papers.cpp defines them in builds without CUDA.
#pragma once

#include "common/program.hpp"

namespace kann::bench {

/// Every version and cuBLAS at awkward sizes, on small integers, of which every order of the sum is exact: each element
/// is the host's.
void check_matvec(const Program& program, Report& report);

/// Table 6 of the paper, at the two sizes that it may have had.
void measure_matvec(const Program& program, Report& report);

}  // namespace kann::bench
