#include "cli/recall_format.hpp"

#include <cstdlib>
#include <fmt/format.h>

namespace kann::cli {

std::string format_recall_below(double recall, double minimum) {
  for (int digits = 4; digits <= 17; ++digits)
    if (std::string text = fmt::format("{:.{}f}", recall, digits); std::strtod(text.c_str(), nullptr) < minimum)
      return text;
  return fmt::format("{}", recall);
}

}  // namespace kann::cli
