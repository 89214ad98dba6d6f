// Shared by the tests of earlier results and ground truths: files made by hand, and how they are refused.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <initializer_list>
#include <limits>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "kann/compare.hpp"
#include "kann/error.hpp"
#include "kann/io.hpp"

#include "formats/neighbors/reference_file.hpp"

namespace kann::test {

/// A number as it lies in memory.
template <class T>
inline std::string raw(T number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}
inline std::string u32(std::uint32_t x) { return raw(x); }
inline std::string i32s(std::initializer_list<std::int32_t> numbers) {
  std::string bytes;
  for (const std::int32_t x : numbers) bytes += raw(x);
  return bytes;
}

/// An NPY file of version 1.0.
inline std::string stored_array(const std::string& type, const std::string& shape, const std::string& values,
                                const std::string& fortran = "False") {
  const std::string dict = "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
  return "\x93NUMPY" + std::string("\x01\x00", 2) + raw(static_cast<std::uint16_t>(dict.size())) + dict + values;
}

/// All ids of a file, read in blocks of `block` rows.
inline std::vector<std::int64_t> read_in_blocks(const std::string& path, std::int64_t block) {
  formats::ReferenceFile file(path);
  std::vector<std::int64_t> ids;
  for (std::int64_t first = 0; first < file.queries() && file.k() > 0; first += block) {
    const auto begin = ids.size();
    ids.resize(begin + static_cast<std::size_t>(std::min(block, file.queries() - first) * file.k()));
    file.read_ids(first, std::span(ids).subspan(begin));
  }
  return ids;
}

class ReferenceTest : public testing::Test {
 protected:
  ReferenceTest() {
    std::string name = (std::filesystem::temp_directory_path() / "kann_reference_XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("mkdtemp");
    folder_ = name;
  }
  ~ReferenceTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::string bytes_of(const std::string& name) const {
    std::ostringstream all;
    all << std::ifstream(path(name), std::ios::binary).rdbuf();
    return all.str();
  }
  void write_result(const std::string& name, const Neighbors& neighbors) const {
    NeighborFile file(path(name), *neighbor_format(name.substr(name.find('.') + 1)), true);
    file.write(neighbors, "{}");
    file.commit();
  }

  /// The message of the refusal, without the folder; "" if the file is read. Reading it in blocks must end in the same
  /// way, unless an id is only past int32.
  std::string refusal(const std::string& name, const std::string& bytes, ErrorKind kind = ErrorKind::bad_input) const {
    const std::string file = write(name, bytes);
    const std::string text = refusal_of(kind, [&] { read_neighbors(file); });
    if (text.find("(ids go to 2147483647)") == std::string::npos) {
      EXPECT_EQ(refusal_of(kind, [&] { read_in_blocks(file, 1); }), text);
    }
    return text;
  }

 private:
  template <class F>
  std::string refusal_of(ErrorKind kind, F read) const {
    try {
      read();
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      std::string text = error.what();
      EXPECT_EQ(text.find(folder_.string() + "/"), 0u) << text;
      return text.substr(folder_.string().size() + 1);
    }
  }

  std::filesystem::path folder_;
};

inline Neighbors some_result() {
  Neighbors n{3, 2, {4, 7, 0, -1, 2147483647, 5}, {0.5f, 1.5f, 0, 0, 2, 3}};
  n.distances[3] = std::numeric_limits<float>::infinity();
  return n;
}

}  // namespace kann::test
