// The choice of columns (--columns) in every format. The first line of the input are the columns, with commas between
// them, what follows is the file.
#include <algorithm>
#include <string_view>

#include "targets/read_cloud.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(input.find('\n'), size);
  kann::ReadOptions options;
  for (std::size_t begin = 0; begin <= end;) {
    const std::size_t comma = std::min(input.find(',', begin), end);
    options.columns.emplace_back(input.substr(begin, comma - begin));
    begin = comma + 1;
  }
  const std::size_t file = std::min(end + 1, size);
  kann::fuzz::read_cloud({data + file, size - file}, ".xyz", options);
  return 0;
}
