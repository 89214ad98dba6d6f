// Numbers as messages show them.
#pragma once

#include <iomanip>
#include <sstream>
#include <string>

namespace kann::base {

/// Three digits: 0.0312, 1e+06.
inline std::string short_number(double x) {
  std::ostringstream text;
  text << std::setprecision(3) << x;
  return text.str();
}

}  // namespace kann::base
