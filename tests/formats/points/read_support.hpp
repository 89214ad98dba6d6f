// Shared by the tests of the readers: files of every format from their parts, and clouds as plain numbers.
#pragma once

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <initializer_list>
#include <ostream>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
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

/// The CRC-32 of ZIP, bit by bit.
inline std::uint32_t plain_crc32(const std::string& bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc;
}

/// Deflate (RFC 1951) that compresses nothing: one block of at most 65,535 bytes as they are.
inline std::string deflate_literally(const std::string& bytes) {
  const auto size = static_cast<std::uint16_t>(bytes.size());
  return "\1" + bytes_of(size) + bytes_of(static_cast<std::uint16_t>(~size)) + bytes;
}

/// Deflate of `bytes`, each below 144, and `runs` times 258 times the last one: 13 bits per run.
inline std::string deflate_runs(const std::string& bytes, std::size_t runs) {
  std::string out;
  unsigned held = 0, bits = 0;
  const auto put = [&](unsigned value, unsigned count) {  // the lowest bit first
    held |= value << bits;
    for (bits += count; bits >= 8; bits -= 8, held >>= 8) out += static_cast<char>(held);
  };
  const auto put_code = [&](unsigned code, unsigned count) {  // of Huffman's codes, the highest
    for (unsigned i = count; i-- > 0;) put(code >> i & 1, 1);
  };
  put(1, 1);  // the last block
  put(1, 2);  // of fixed codes
  for (const char c : bytes) put_code(0x30 + static_cast<unsigned char>(c), 8);
  for (std::size_t i = 0; i < runs; ++i) {
    put_code(0xc5, 8);  // 258 bytes
    put_code(0, 5);     // from one before
  }
  put_code(0, 7);
  put(0, 7);
  return out;
}

struct ZipPart {
  std::string name;
  std::string content;
  int method = 0;
  std::string stored = "";  ///< empty: the content, or deflate_literally() of it
  bool is_64 = false;       ///< sizes in the ZIP64 field
  int flags = 0;
  std::int64_t size = -1;  ///< −1: that of the content
  std::int64_t crc = -1;
};

/// An archive as zipfile writes it; with `is_64`, its end has 64 bits, too.
inline std::string zip(const std::vector<ZipPart>& parts, bool is_64 = false, const std::string& comment = "") {
  const auto u16 = [](std::uint64_t value) { return bytes_of(static_cast<std::uint16_t>(value)); };
  const auto u32 = [](std::uint64_t value) { return bytes_of(static_cast<std::uint32_t>(value)); };
  std::string bytes, directory;
  for (const ZipPart& part : parts) {
    const std::string stored = !part.stored.empty() ? part.stored
                               : part.method == 8   ? deflate_literally(part.content)
                                                    : part.content;
    const std::uint64_t size = part.size < 0 ? part.content.size() : static_cast<std::uint64_t>(part.size);
    const std::uint64_t crc = part.crc < 0 ? plain_crc32(part.content) : static_cast<std::uint64_t>(part.crc);
    const std::string extra =
        part.is_64 ? u16(1) + u16(16) + bytes_of(size) + bytes_of<std::uint64_t>(stored.size()) : "";
    const std::uint64_t hidden = 0xffffffff;
    const std::string facts = u16(part.is_64 ? 45 : 20) + u16(static_cast<std::uint64_t>(part.flags)) +
                              u16(static_cast<std::uint64_t>(part.method)) + u32(0) + u32(crc) +
                              u32(part.is_64 ? hidden : stored.size()) + u32(part.is_64 ? hidden : size) +
                              u16(part.name.size()) + u16(extra.size());
    directory += "PK\1\2" + u16(20) + facts + u16(0) + u16(0) + u16(0) + u32(0) + u32(bytes.size()) + part.name + extra;
    bytes += "PK\3\4" + facts + part.name + extra + stored;
  }
  const std::uint64_t start = bytes.size();
  bytes += directory;
  if (is_64) {
    const std::uint64_t end = bytes.size();
    bytes += "PK\6\6" + bytes_of<std::uint64_t>(44) + u16(45) + u16(45) + u32(0) + u32(0) +
             bytes_of<std::uint64_t>(parts.size()) + bytes_of<std::uint64_t>(parts.size()) +
             bytes_of<std::uint64_t>(directory.size()) + bytes_of(start);
    bytes += "PK\6\7" + u32(0) + bytes_of(end) + u32(1);
  }
  const std::uint64_t all = 0xffffffff;
  return bytes + "PK\5\6" + u16(0) + u16(0) + u16(is_64 ? 0xffff : parts.size()) + u16(is_64 ? 0xffff : parts.size()) +
         u32(is_64 ? all : directory.size()) + u32(is_64 ? all : start) + u16(comment.size()) + comment;
}

/// Fields of `type` called x, y and z, all zeros: about `bytes` of them, deflated to an eightieth.
inline std::string npz_of_zeros(std::size_t bytes, const std::string& type = "<f4") {
  const std::string field = "', '" + type + "'), ";
  const std::size_t rows = bytes / (type == "<f4" ? 12 : 3);
  const std::string header =
      npy_array("[('x" + field + "('y" + field + "('z" + field + "]", "(" + std::to_string(rows) + ",)", "");
  const auto size = static_cast<std::uint16_t>(header.size());
  const std::string deflated = std::string(1, '\0') + bytes_of(size) + bytes_of(static_cast<std::uint16_t>(~size)) +
                               header + deflate_runs(std::string(1, '\0'), bytes / 258);
  const std::size_t claimed = header.size() + 1 + bytes / 258 * 258;
  std::string content = header;  // for its CRC-32
  content.resize(claimed, '\0');
  return zip({{.name = "points.npy", .content = std::move(content), .method = 8, .stored = deflated}});
}

/// What a LAS file says of itself; the defaults are a right file of LAS 1.2.
struct LasParts {
  int minor = 2;
  int format = 0;
  int record = 20;  ///< bytes per point
  std::vector<std::array<std::int32_t, 3>> points = {{100, 200, 300}, {-400, 500, 2147483647}};
  std::array<double, 3> scale = {0.01, 0.01, 0.001};
  std::array<double, 3> offset = {636000, 4851000, -100};
  std::int64_t count_32 = -1, count_64 = -1;  ///< −1: the number of points, in the field of the version
  int header = 0;                             ///< bytes; 0: as the version says
  std::string records = "";                   ///< between header and points
  std::string tail = "";                      ///< after the points
  std::uint64_t waveforms = 0;
  std::uint32_t extended_records = 0;
};

inline std::string las(const LasParts& parts = {}) {
  const int usual[] = {227, 227, 227, 235, 375};
  const int size = parts.header > 0 ? parts.header : usual[parts.minor];
  std::string bytes(static_cast<std::size_t>(size), '\0');
  const auto put = [&](std::size_t offset, const std::string& value) { bytes.replace(offset, value.size(), value); };
  const auto n = static_cast<std::int64_t>(parts.points.size());
  put(0, "LASF");
  put(24, {'\1', static_cast<char>(parts.minor)});
  put(94, bytes_of(static_cast<std::uint16_t>(size)));
  put(96, bytes_of(static_cast<std::uint32_t>(bytes.size() + parts.records.size())));
  put(104, std::string(1, static_cast<char>(parts.format)));
  put(105, bytes_of(static_cast<std::uint16_t>(parts.record)));
  const std::int64_t old_count = parts.minor < 4 || parts.format < 6 ? n : 0;
  put(107, bytes_of(static_cast<std::uint32_t>(parts.count_32 < 0 ? old_count : parts.count_32)));
  for (std::size_t a = 0; a < 3; ++a) {
    put(131 + 8 * a, bytes_of(parts.scale[a]));
    put(155 + 8 * a, bytes_of(parts.offset[a]));
  }
  if (parts.minor >= 3) put(227, bytes_of(parts.waveforms));
  if (parts.minor >= 4) {
    put(243, bytes_of(parts.extended_records));
    put(247, bytes_of(static_cast<std::uint64_t>(parts.count_64 < 0 ? n : parts.count_64)));
  }
  bytes += parts.records;
  for (const auto& point : parts.points) {
    std::string record;
    for (const std::int32_t integer : point) record += bytes_of(integer);
    record.resize(static_cast<std::size_t>(parts.record), 'p');
    bytes += record;
  }
  return bytes + parts.tail;
}

inline std::string u16s(std::initializer_list<std::uint16_t> values) { return bytes_of_all<std::uint16_t>(values); }

/// A variable length record.
inline std::string vlr(const std::string& user, int id, const std::string& content) {
  std::string header(54, '\0');
  header.replace(2, user.size(), user);
  header.replace(18, 2, u16s({static_cast<std::uint16_t>(id)}));
  header.replace(20, 2, u16s({static_cast<std::uint16_t>(content.size())}));
  header.replace(22, 5, "title");
  return header + content;
}

/// The description of one field of extra bytes.
inline std::string extra(const std::string& name, int type, int options = 0, double scale = 0, double offset = 0) {
  std::string bytes(192, '\0');
  bytes[2] = static_cast<char>(type);
  bytes[3] = static_cast<char>(options);
  bytes.replace(4, name.size(), name);
  bytes.replace(112, 8, bytes_of(scale));
  bytes.replace(136, 8, bytes_of(offset));
  return bytes;
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
