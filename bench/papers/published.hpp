// Published times of the two papers that the programs of this folder reproduce, printed beside the measured ones.
#pragma once

#include <array>

namespace kann::bench {

/// "Analysis of Programming Techniques for Creating Optimized CUDA Software", 2010, Table 4: Sobel of 4096 × 3072
/// pixels from shared memory, with coefficients in constant memory, by the ways I to IV of filling it; GTX 280, mean of
/// 100 runs.
inline constexpr std::array<double, 4> k_sobel_table_4_ms = {15.417, 13.695, 18.475, 12.774};

/// The same paper, Table 5: the optimisations one after the other, for shared memory (way IV), global memory and
/// textures.
struct SobelTable5Row {
  double shared_ms, global_ms, texture_ms;
};
inline constexpr std::array<SobelTable5Row, 5> k_sobel_table_5 = {{
    {16.354, 29.612, 25.254},  // none
    {12.774, 11.710, 13.052},  // constant memory
    {10.962, 10.091, 11.383},  // fewer conditionals, a multiplication for the division
    {10.437, 9.992, 11.732},   // constants for variables
    {7.262, 8.441, 6.648},     // unrolled loops
}};
inline constexpr int k_sobel_width = 4096, k_sobel_height = 3072;

/// The same paper, Table 6: a square matrix by a vector, microseconds; GTX 280. The paper does not say how large.
struct MatvecTable6 {
  double first_us, last_us;
};
inline constexpr MatvecTable6 k_matvec_table_6 = {30163.2, 558.4};

// "Implementation of high performance parallel LU factorization program for multi-threads on GPGPUs", 2011, shows its
// times (Tesla C1060, single precision presumably, n = 1024 … 4096, blocks of 1 × 1 … 16 × 16) in figures 6 and 7
// alone; the text has no numbers. It says that the speed grows with the number of threads and that pivoting costs next
// to nothing.

}  // namespace kann::bench
