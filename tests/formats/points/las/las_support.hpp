// Shared by the tests of LAS: files from their parts.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "formats/points/read_support.hpp"

namespace kann::test {

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

}  // namespace kann::test
