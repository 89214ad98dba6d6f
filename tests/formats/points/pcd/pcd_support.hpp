// Shared by the tests of PCD: files from their parts.
#pragma once

#include <string>

#include "formats/points/read_support.hpp"

namespace kann::test {

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

}  // namespace kann::test
