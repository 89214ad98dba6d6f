// The list of all ways, and their names.
#include <algorithm>

#include "papers/sobel/sobel.hpp"

namespace kann::bench {

template <class Pixel>
std::vector<SobelWay<Pixel>> sobel_ways() {
  std::vector<SobelWay<Pixel>> ways;
  add_direct_ways(ways);
  add_shared_square_ways(ways);
  add_shared_rows_ways(ways);
  std::stable_sort(ways.begin(), ways.end(), [](const auto& a, const auto& b) { return a.memory < b.memory; });
  return ways;
}

template std::vector<SobelWay<std::uint8_t>> sobel_ways();
template std::vector<SobelWay<std::uint32_t>> sobel_ways();

std::string name_of(SobelMemory memory) {
  switch (memory) {
    case SobelMemory::global:
      return "global";
    case SobelMemory::texture:
      return "texture";
    case SobelMemory::shared_1:
      return "shared I";
    case SobelMemory::shared_2:
      return "shared II";
    case SobelMemory::shared_3:
      return "shared III";
    case SobelMemory::shared_4:
      return "shared IV";
  }
  return "";
}

std::string name_of(SobelStep step) {
  switch (step) {
    case SobelStep::none:
      return "none";
    case SobelStep::constant:
      return "constant memory";
    case SobelStep::conditionals:
      return "+ conditionals, division";
    case SobelStep::fixed_block:
      return "+ fixed block";
    case SobelStep::unrolled:
      return "+ unrolled loops";
    case SobelStep::by_compiler:
      return "none, loops left to nvcc";
    case SobelStep::literal:
      return "literal coefficients";
  }
  return "";
}

}  // namespace kann::bench
