// Shared by the tests of the readers: files from bytes, and clouds as plain numbers.
#pragma once

#include <cmath>
#include <gtest/gtest.h>
#include <initializer_list>
#include <ostream>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "formats/cloud_rows.hpp"
#include "formats/write_support.hpp"

namespace kann::test {

using Numbers = std::vector<double>;
using Lines = std::vector<std::string>;

inline Numbers coordinates_of(const Points& points) {
  return std::visit([](const auto& c) { return Numbers(c.begin(), c.end()); }, points.coordinates);
}

inline bool is_float32(const Points& points) { return std::holds_alternative<Array<float>>(points.coordinates); }

/// Reads a file called `name` with these bytes.
template <class Options = ReadOptions>
Cloud read_bytes(const std::string& name, const std::string& bytes, const Options& options = {}) {
  const TemporaryFolder folder;
  put_contents(folder.file(name), bytes);
  return formats::read_whole_cloud(folder.file(name), options);
}

inline Numbers points_in(const std::string& name, const std::string& bytes, const ReadOptions& options = {}) {
  return coordinates_of(read_bytes(name, bytes, options).points);
}

/// The text without a folder that it names, wherever it does.
inline std::string without_folder(std::string text, const std::filesystem::path& folder) {
  const std::string name = folder.string() + "/";
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) text.erase(at, name.size());
  return text;
}

/// What reading a file called `name` with these bytes warns of, without the folder.
inline Lines warnings_in(const std::string& name, const std::string& bytes, const ReadOptions& options = {}) {
  const TemporaryFolder folder;
  put_contents(folder.file(name), bytes);
  Lines warnings = read_points(folder.file(name), options).warnings;
  for (std::string& warning : warnings) warning = without_folder(warning, folder.path());
  return warnings;
}

/// The error message for a file called `name` with these bytes, without the folder, and after the exit code if the
/// error is not of `kind`. "read" if the file is read.
inline std::string refusal(const std::string& name, const std::string& bytes, const ReadOptions& options = {},
                           ErrorKind kind = ErrorKind::bad_input) {
  const TemporaryFolder folder;
  put_contents(folder.file(name), bytes);
  const auto error = error_of([&] { read_points(folder.file(name), options); });
  if (!error) return "read";
  const std::string message = without_folder(error->what(), folder.path());
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

inline std::string times(const std::string& text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

inline std::string replaced_all(std::string text, const std::string& old, const std::string& replacement) {
  for (std::size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += replacement.size())
    text.replace(at, old.size(), replacement);
  return text;
}

/// A row of a table of files that are refused.
struct RefusedFile {
  const char* name;  ///< what is special about the bytes
  std::string bytes;
  std::string expected;  ///< the message after the name of the file; if "..." ends it, what it begins with
};

inline void expect_refusals(const std::string& file, std::span<const RefusedFile> rows,
                            const ReadOptions& options = {}) {
  for (const RefusedFile& row : rows) {
    const std::string message = refusal(file, row.bytes, options), want = file + row.expected;
    if (want.ends_with("..."))
      EXPECT_TRUE(message.starts_with(want.substr(0, want.size() - 3))) << row.name << ": " << message;
    else
      EXPECT_EQ(message, want) << row.name;
    EXPECT_EQ(message.find('\n'), std::string::npos) << row.name;
    EXPECT_LT(message.size(), 300u) << row.name;
  }
}

inline const std::string k_xyz = "property float x\nproperty float y\nproperty float z\n";

/// A PLY file of one vertex element.
inline std::string ply(const std::string& encoding, const std::string& count, const std::string& properties,
                       const std::string& body) {
  return "ply\nformat " + encoding + " 1.0\nelement vertex " + count + "\n" + properties + "end_header\n" + body;
}
inline std::string ascii_ply(const std::string& count, const std::string& body, const std::string& properties = k_xyz) {
  return ply("ascii", count, properties, body);
}
inline std::string binary_ply(const std::string& count, const std::string& body, const std::string& properties = k_xyz,
                              bool big_endian = false) {
  return ply(big_endian ? "binary_big_endian" : "binary_little_endian", count, properties, body);
}

/// The two points of many of these tests: as they are read, as rows of float32s, and as rows of a text or of an ASCII
/// PLY.
inline const Numbers k_points = {1, 2, 3, 4, 5, 6};
inline const std::string k_floats = bytes_of_all<float>({1, 2, 3, 4, 5, 6});
inline const std::string k_rows = "1 2 3\n4 5 6\n";
inline const std::string k_end = "end_header\n";

/// A NumPy array with this header; e.g. npy_of("{'descr': '<f4', ...}\n", k_floats).
inline std::string npy_of(const std::string& header, const std::string& body, int major = 1) {
  const auto length = static_cast<std::uint32_t>(header.size());
  return "\x93NUMPY" + std::string(1, static_cast<char>(major)) + std::string(1, '\0') +
         (major == 1 ? bytes_of(static_cast<std::uint16_t>(length)) : bytes_of(length)) + header + body;
}
inline std::string npy(const std::string& descr, const std::string& order, const std::string& shape,
                       const std::string& body, int major = 1) {
  return npy_of("{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n", body, major);
}
inline std::string npy_array(const std::string& descr, const std::string& shape, const std::string& body) {
  return npy(descr, "False", shape, body);
}

inline const std::string k_pcd_xyz = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n";

/// A PCD file with `points` points in one row.
inline std::string pcd(const std::string& data, const std::string& points, const std::string& body,
                       const std::string& fields = k_pcd_xyz) {
  return "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\n" + fields + "WIDTH " + points +
         "\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS " + points + "\nDATA " + data + "\n" + body;
}

/// LZF that copies nothing: parts of 32 bytes, each after its length less one.
inline std::string lzf_literals(const std::string& bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 32) {
    const std::string part = bytes.substr(i, 32);
    out += static_cast<char>(part.size() - 1) + part;
  }
  return out;
}

/// The body of binary_compressed: both sizes, then LZF.
inline std::string compressed_body(const std::string& lzf, std::size_t size) {
  return bytes_of(static_cast<std::uint32_t>(lzf.size())) + bytes_of(static_cast<std::uint32_t>(size)) + lzf;
}
inline std::string compressed_pcd(const std::string& points, const std::string& columns,
                                  const std::string& fields = k_pcd_xyz) {
  return pcd("binary_compressed", points, compressed_body(lzf_literals(columns), columns.size()), fields);
}

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

inline Lines described(const std::vector<Attribute>& attributes) {
  Lines all;
  for (const Attribute& attribute : attributes) all.push_back(described(attribute));
  return all;
}

}  // namespace kann::test
