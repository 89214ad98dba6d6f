// The parts of bench_sobel; papers/no_cuda_papers.cpp defines them in builds without CUDA.
#pragma once

#include "common/program.hpp"

namespace kann::bench {

/// Every way at every step on small images of awkward sizes: each pixel is the host's.
void check_sobel(const Program& program, Report& report);

/// Tables 4 and 5 of the paper: the same on 4096 × 3072 pixels, with times.
void measure_sobel(const Program& program, Report& report);

}  // namespace kann::bench
