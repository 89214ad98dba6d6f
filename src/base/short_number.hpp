// Formats numbers for messages.
#pragma once

#include <iomanip>
#include <sstream>
#include <string>

namespace kann::base {

/// `x` in three digits: 0.0312, 1e+06.
inline std::string short_number(double x) {
  std::ostringstream text;
  text << std::setprecision(3) << x;
  return text.str();
}

}  // namespace kann::base
