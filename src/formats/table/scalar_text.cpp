#include "formats/table/scalar_text.hpp"

#include <cstring>
#include <type_traits>

namespace kann::formats {

std::pair<std::int64_t, std::int64_t> integer_range(ScalarType type) {
  const int bits = static_cast<int>(8 * size_of(type));
  const bool is_signed = type == ScalarType::int8 || type == ScalarType::int16 || type == ScalarType::int32;
  if (is_signed) return {-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
  return {0, (std::int64_t{1} << bits) - 1};
}

NumberFault parse_to_bytes(ScalarType type, std::string_view word, char* out) {
  return with_type(type, [&]<class T>(T value) {
    NumberFault fault = NumberFault::none;
    std::int64_t whole = 0;
    if constexpr (std::is_floating_point_v<T>) {
      fault = parse_number(word, value);
    } else if constexpr (std::is_same_v<T, std::uint64_t>) {
      fault = parse_count(word, value);
    } else {
      fault = parse_whole(word, whole);
      if (fault == NumberFault::none && !std::in_range<T>(whole)) fault = NumberFault::out_of_range;
      value = static_cast<T>(whole);
    }
    std::memcpy(out, &value, sizeof value);
    return fault;
  });
}

}  // namespace kann::formats
