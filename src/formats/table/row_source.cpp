#include "formats/table/row_source.hpp"

#include "formats/files/input.hpp"

namespace kann::formats {

Cloud with_rows(const Cloud& without_rows, std::size_t count, const std::string& file) {
  Cloud cloud = without_rows;
  double bytes = 0;
  for (const Attribute& attribute : cloud.attributes)
    std::visit([&](const auto& values) { bytes += static_cast<double>(count * sizeof values[0]); }, attribute.values);
  base::check_host_memory(bytes, file.c_str());
  for (Attribute& attribute : cloud.attributes)
    std::visit([&](auto& values) { values.resize(count); }, attribute.values);
  return cloud;
}

}  // namespace kann::formats
