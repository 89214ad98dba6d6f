// Amounts of memory in messages.
#pragma once

#include <fmt/format.h>
#include <string>

namespace kann::flow {

/// E.g. "900 bytes", "52.6 MB", "9.2 GB", "1.76 TB".
inline std::string bytes_text(double bytes) {
  if (bytes < 1e4) return fmt::format("{:.0f} bytes", bytes);
  if (bytes < .9995e9) return fmt::format("{:.3g} MB", bytes / 1e6);
  return bytes < .9995e12 ? fmt::format("{:.3g} GB", bytes / 1e9) : fmt::format("{:.3g} TB", bytes / 1e12);
}

}  // namespace kann::flow
