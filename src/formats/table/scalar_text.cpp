#include "formats/table/scalar_text.hpp"

#include <cstring>

namespace kann::formats {

std::pair<std::int64_t, std::int64_t> integer_range(ScalarType type) {
  const int bits = static_cast<int>(8 * size_of(type));
  const bool is_signed = type == ScalarType::int8 || type == ScalarType::int16 || type == ScalarType::int32;
  if (is_signed) return {-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
  return {0, (std::int64_t{1} << bits) - 1};
}

template <class T>
NumberFault parse_scalar(ScalarType type, std::string_view word, T& value) {
  if (type == ScalarType::float32) {
    float narrow = 0;
    const NumberFault fault = parse_number(word, narrow);
    value = narrow;
    return fault;
  }
  if (type == ScalarType::float64) {
    double wide = 0;
    const NumberFault fault = parse_number(word, wide);
    value = static_cast<T>(wide);
    return fault;
  }
  std::int64_t whole = 0;
  const NumberFault fault = parse_whole(word, whole);
  if (fault != NumberFault::none) return fault;
  const auto [minimum, maximum] = integer_range(type);
  value = static_cast<T>(whole);
  return whole < minimum || whole > maximum ? NumberFault::out_of_range : NumberFault::none;
}

template NumberFault parse_scalar(ScalarType, std::string_view, float&);
template NumberFault parse_scalar(ScalarType, std::string_view, double&);

NumberFault parse_to_bytes(ScalarType type, std::string_view word, char* out) {
  const auto store = [&]<class T>(T value, NumberFault fault) {
    std::memcpy(out, &value, sizeof value);
    return fault;
  };
  std::int64_t whole = 0;
  std::uint64_t count = 0;
  float narrow = 0;
  double wide = 0;
  NumberFault fault = NumberFault::none;
  switch (type) {
    case ScalarType::float32:
      fault = parse_number(word, narrow);
      return store(narrow, fault);
    case ScalarType::float64:
      fault = parse_number(word, wide);
      return store(wide, fault);
    case ScalarType::int64:
      fault = parse_whole(word, whole);
      return store(whole, fault);
    case ScalarType::uint64:
      fault = parse_count(word, count);
      return store(count, fault);
    default:  // whole numbers that double holds; the low bytes are those of the narrow type
      fault = parse_scalar(type, word, wide);
      whole = fault == NumberFault::none ? static_cast<std::int64_t>(wide) : 0;
      std::memcpy(out, &whole, size_of(type));
      return fault;
  }
}

}  // namespace kann::formats
