// Shared by the tests of the readers: files from bytes, and clouds as plain numbers.
#pragma once

#include <gtest/gtest.h>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/cloud_rows.hpp"
#include "formats/write_support.hpp"

namespace kann::test {

inline std::vector<double> coordinates_of(const Points& points) {
  return std::visit([](const auto& c) { return std::vector<double>(c.begin(), c.end()); }, points.coordinates);
}

inline bool is_float32(const Points& points) { return std::holds_alternative<Array<float>>(points.coordinates); }

/// Reads a file called `name` with these bytes.
template <class Options = ReadOptions>
Cloud read_bytes(const std::string& name, const std::string& bytes, const Options& options = {}) {
  const TemporaryFolder folder;
  put_contents(folder.file(name), bytes);
  return formats::read_whole_cloud(folder.file(name), options);
}

/// The error message for a file called `name` with these bytes, without the folder, and after the exit code if the
/// error is not of `kind`. "read" if the file is read.
inline std::string refusal(const std::string& name, const std::string& bytes, const ReadOptions& options = {},
                           ErrorKind kind = ErrorKind::bad_input) {
  const TemporaryFolder folder;
  put_contents(folder.file(name), bytes);
  const auto error = error_of([&] { read_points(folder.file(name), options); });
  if (!error) return "read";
  std::string message = error->what();
  if (message.starts_with(folder.file(""))) message.erase(0, folder.file("").size());
  return error->kind() == kind ? message : "exit " + std::to_string(error->exit_code()) + ": " + message;
}

/// The bytes of `value` in either byte order.
template <class T>
std::string bytes_of(T value, bool big_endian = false) {
  std::string bytes(reinterpret_cast<const char*>(&value), sizeof value);
  if (big_endian != (std::endian::native == std::endian::big)) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

template <class T>
std::string bytes_of_all(std::initializer_list<T> values, bool big_endian = false) {
  std::string bytes;
  for (const T value : values) bytes += bytes_of(value, big_endian);
  return bytes;
}

/// A row of a test table; the name says what is special about the bytes.
struct BytesCase {
  const char* name;
  std::string bytes;
  std::string expected;  ///< part of the message
};
inline void PrintTo(const BytesCase& c, std::ostream* out) { *out << c.name; }

struct CaseName {
  template <class Info>
  std::string operator()(const Info& info) const {
    return info.param.name;
  }
};

inline const std::string k_xyz = "property float x\nproperty float y\nproperty float z\n";

/// A PLY file of one vertex element.
inline std::string ply(const std::string& encoding, const std::string& count, const std::string& properties,
                       const std::string& body) {
  return "ply\nformat " + encoding + " 1.0\nelement vertex " + count + "\n" + properties + "end_header\n" + body;
}
inline std::string ascii_ply(const std::string& count, const std::string& body, const std::string& properties = k_xyz) {
  return ply("ascii", count, properties, body);
}
inline std::string binary_ply(const std::string& count, const std::string& body,
                              const std::string& properties = k_xyz) {
  return ply("binary_little_endian", count, properties, body);
}

/// The two points of many of these tests: as they are read, as rows of float32s, and as rows of a text or of an ASCII
/// PLY.
inline const std::vector<double> k_points = {1, 2, 3, 4, 5, 6};
inline const std::string k_floats = bytes_of_all<float>({1, 2, 3, 4, 5, 6});
inline const std::string k_rows = "1 2 3\n4 5 6\n";
inline const std::string k_end = "end_header\n";

/// A NumPy array; e.g. npy("'<f4'", "False", "(2, 3)", k_floats).
inline std::string npy(const std::string& descr, const std::string& order, const std::string& shape,
                       const std::string& body) {
  const std::string header = "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
  return "\x93NUMPY" + std::string("\x01\0", 2) + bytes_of(static_cast<std::uint16_t>(header.size())) + header + body;
}

}  // namespace kann::test
