// Which columns of a table are the attributes that ReadOptions ask for, and their values as typed arrays: what the
// readers of all formats share.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/table/columns.hpp"
#include "formats/table/read_request.hpp"

namespace kann::formats {

inline bool wants_attributes(const ReadRequest& options) {
  return options.all_attributes || !options.attributes.empty();
}

/// A column of a table, as an attribute.
struct AttributeColumn {
  std::string name;
  std::string fault = {};  ///< why it cannot be one, as "is a list"; empty if it can
  bool is_apart = false;   ///< whether it is an attribute only where its name is asked for
  bool is_bool = false;    ///< whether its bytes are 0 and 1, which means that rather than nothing
};

/// Which columns are attributes, and which names ask for them.
struct ChosenAttributes {
  std::vector<std::size_t> columns;             ///< from 0
  std::vector<std::vector<std::size_t>> asked;  ///< the places in `columns` of each name, as Cloud::asked
  std::size_t besides = 0;                      ///< as Cloud::asked_besides
  std::vector<Meaning> meanings;                ///< of each of `columns`

  /// Says in a cloud that has these columns as attributes which of them were named, and what they mean.
  void describe(Cloud& cloud) const;
};

/// The columns that `options` ask for. `axes` are the columns of the coordinates; others may be coordinates by their
/// names. A name stands for the column that has it, else for the only one that has it in other letter case, else for
/// the one with the same meaning, else for the only one that has it but for what programs write differently
/// (plain_name()); a whole number is the number of a column, from 1. `noun` is the word for a column in messages. With
/// all_attributes, columns that cannot be attributes are left out, and one warning names them.
/// @throws Error bad_input ("FILE: no property 'intenstiy' (it has x, y, z, intensity); did you mean 'intensity'?"; a
///         column that cannot be an attribute).
ChosenAttributes chosen_attributes(std::string_view noun, std::span<const AttributeColumn> table,
                                   std::span<const std::size_t> axes, const ReadRequest& options,
                                   const std::string& file, std::vector<std::string>& warnings);

/// Adds to `warnings` that these columns, each as "'NAME' FAULT", are no attributes; nothing if there are none.
void warn_of_left_out(std::span<const std::string> left_out, const std::string& file,
                      std::vector<std::string>& warnings);

}  // namespace kann::formats
