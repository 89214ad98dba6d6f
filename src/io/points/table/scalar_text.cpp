#include "io/points/table/scalar_text.hpp"

namespace kann::io {

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

}  // namespace kann::io
