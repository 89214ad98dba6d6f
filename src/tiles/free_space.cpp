#include "tiles/free_space.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <system_error>

#include "kann/error.hpp"

#include "tiles/bytes_text.hpp"

namespace kann::tiles {

void check_free_space(const std::string& folder, double bytes) {
  std::error_code error;
  const std::string named = folder.empty() ? "." : folder;
  const auto space = std::filesystem::space(named, error);
  if (error || static_cast<double>(space.available) >= bytes) return;
  throw Error(ErrorKind::resources,
              fmt::format("{}: temporary files need at least {}, {} are free; --temp-folder takes another folder",
                          named, bytes_text(bytes), bytes_text(static_cast<double>(space.available))));
}

}  // namespace kann::tiles
