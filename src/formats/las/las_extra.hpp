// Attributes as extra bytes at the end of LAS records.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kann/attributes.hpp"

#include "formats/files/refusal.hpp"
#include "formats/las/las_head.hpp"
#include "formats/table/binary_rows.hpp"
#include "formats/table/unique_names.hpp"

namespace kann::formats {

class LasExtras {
 public:
  /// @param record_bytes bytes of a record before these extra bytes
  LasExtras(int point_format, std::size_t record_bytes);

  /// Reserves a name, so that no attribute gets it.
  void reserve(const std::string& name) { names_.take(name); }

  /// @param attribute its name and type; it is number `number` in every block
  void add(const Attribute& attribute, std::size_t number);

  /// Warnings about the attributes that got another name than their own, or for which LAS has a field.
  std::vector<std::string> warnings(const std::string& file) const;

  std::size_t record_bytes() const { return record_bytes_; }
  const std::vector<LasExtra>& descriptions() const { return descriptions_; }
  const std::vector<CloudColumn>& columns() const { return columns_; }

  /// @throws Error bad_input if LAS has no records of so many bytes.
  void check_size(const std::string& file) const;

 private:
  UniqueNames names_{32};
  std::size_t record_bytes_;
  std::vector<LasExtra> descriptions_;
  std::vector<std::string> names_asked_for_;
  std::vector<bool> are_fields_;  ///< whether LAS has a field of their meaning
  std::vector<CloudColumn> columns_;
};

}  // namespace kann::formats
