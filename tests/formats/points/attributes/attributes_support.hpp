// Shared by the tests of attributes: their names, types and values as text that can be compared.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "formats/points/read_support.hpp"

namespace kann::test {

/// The type of the values: "int8", "uint8", ..., "float32", "float64".
inline std::string type_of(const Attribute& attribute) {
  const char* const names[] = {"int8",   "uint8", "int16",  "uint16",  "int32",
                               "uint32", "int64", "uint64", "float32", "float64"};
  return names[attribute.values.index()];
}

/// "uint8 red 1 2 3": type, name and values with all digits.
inline std::string described(const Attribute& attribute) {
  std::ostringstream out;
  out.precision(17);
  out << (attribute.texts ? "text" : type_of(attribute)) << ' ' << attribute.name;
  if (attribute.texts) {
    for (std::int64_t i = 0; i < attribute.size(); ++i)
      out << " [" << attribute.texts->at(std::get<Array<std::int64_t>>(attribute.values)[static_cast<std::size_t>(i)])
          << ']';
    return out.str();
  }
  std::visit(
      [&](const auto& values) {
        for (const auto value : values) out << ' ' << +value;
      },
      attribute.values);
  return out.str();
}

inline std::vector<std::string> described(const std::vector<Attribute>& attributes) {
  std::vector<std::string> all;
  for (const Attribute& attribute : attributes) all.push_back(described(attribute));
  return all;
}

using Lines = std::vector<std::string>;

/// The attributes of a file called `name` with these bytes, which is read on one and on three threads.
template <class Options = ReadOptions>
Lines attributes_of(const std::string& name, const std::string& bytes, Options options) {
  options.threads = 1;
  const Lines one = described(read_bytes(name, bytes, options).attributes);
  options.threads = 3;
  EXPECT_EQ(described(read_bytes(name, bytes, options).attributes), one) << name;
  return one;
}

inline Lines all_attributes_of(const std::string& name, const std::string& bytes) {
  return attributes_of(name, bytes, {.all_attributes = true});
}

}  // namespace kann::test
