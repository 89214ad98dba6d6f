// Matrices and vectors of small integers, and their product on the host in integers. Shares no code with the kernels.
#pragma once

#include <cstdint>
#include <vector>

namespace kann::bench {

/// `count` integers from −8 to 7. Sums of up to 2¹⁸ products of two of them are exact in float32, in every order.
std::vector<float> random_small_integers(std::size_t count, std::uint64_t seed);

/// The product of an n × n matrix, row by row, and a vector, both of integers below 2³¹.
std::vector<float> product_on_host(const std::vector<float>& matrix, const std::vector<float>& vector);

}  // namespace kann::bench
