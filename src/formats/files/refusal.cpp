#include "formats/files/refusal.hpp"

#include <fmt/format.h>

#include "kann/error.hpp"

#include "base/printable.hpp"

namespace kann::formats {

void refuse(const std::string& file, const std::string& what) {
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}", file, what));
}

void refuse_line(const std::string& file, std::int64_t line, const std::string& what) {
  throw Error(ErrorKind::bad_input, fmt::format("{}:{}: {}", file, line, what));
}

void refuse_byte(const std::string& file, std::size_t byte, const std::string& what) {
  throw Error(ErrorKind::bad_input, fmt::format("{}@byte {}: {}", file, byte, what));
}

std::string rest_warning(const std::string& file, std::size_t bytes, std::string_view last) {
  return fmt::format("{}: {} after {} {} not read", file, counted(bytes, "byte"), last, bytes == 1 ? "is" : "are");
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t longest = 40;
  const std::size_t length = base::whole_characters(text, longest);
  const std::string out = base::printable(text.substr(0, length));
  return text.size() > length ? out + "..." : out;
}

std::string quote(std::string_view text) { return "'" + excerpt(text) + "'"; }

}  // namespace kann::formats
