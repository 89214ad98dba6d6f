// Attributes as extra bytes at the end of LAS records.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kann/attributes.hpp"

#include "io/clouds/binary_rows.hpp"
#include "io/clouds/las_head.hpp"
#include "io/clouds/names.hpp"
#include "io/files/refusal.hpp"

namespace kann::io {

class LasExtras {
 public:
  /// For records that have `record_bytes` bytes before them, of the point format with these fields.
  LasExtras(int point_format, std::size_t record_bytes);

  /// Keeps attributes from this name.
  void reserve(const std::string& name) { names_.take(name); }

  void add(const Attribute& attribute);

  /// What is to be said of attributes that got another name than theirs.
  std::vector<std::string> warnings(const std::string& file) const;

  std::size_t record_bytes() const { return record_bytes_; }
  const std::vector<LasExtra>& descriptions() const { return descriptions_; }
  const std::vector<RowColumn>& columns() const { return columns_; }

  /// @throws Error bad_input if LAS has no records of so many bytes.
  void check_size(const std::string& file) const;

 private:
  UniqueNames names_{32};
  std::size_t record_bytes_;
  std::vector<LasExtra> descriptions_;
  std::vector<std::string> names_asked_for_;  ///< of these
  std::vector<RowColumn> columns_;
};

}  // namespace kann::io
