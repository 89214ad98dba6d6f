// --attributes: which columns are written, and under which names.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/options/values.hpp"

namespace kann::cli {

/// A word of --attributes: NAME, NAME=NEW or -NAME.
struct AttributeChoice {
  std::string name, new_name;
  bool is_dropped = false;

  bool renames() const { return new_name != name; }
};

/// A column that is written.
struct ChosenColumn {
  std::size_t place;  ///< among all that could be
  std::string name;
};

std::vector<AttributeChoice> attribute_choices(const Given& given);

/// The columns that are written: those that are named, in this order; if one is dropped, all others in theirs; without
/// choices, all. The first `fixed` of them, which are written anyhow, are not among them.
/// @param owner the name of whose columns they are, in messages
/// @throws Error bad_input: a name is none of the columns, or two columns would have one name, or one of the first is
///         dropped or renamed.
std::vector<ChosenColumn> chosen_columns(const std::vector<AttributeChoice>& choices,
                                         const std::vector<std::string>& columns, std::size_t fixed,
                                         const std::string& owner);

/// Refuses a name that is none of the columns, with that which is nearest. @throws Error bad_input.
[[noreturn]] void refuse_choice(const std::string& owner, const std::string& name,
                                const std::vector<std::string>& columns);

}  // namespace kann::cli
