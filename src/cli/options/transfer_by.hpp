// --by: which method is used for which name of --transfer.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kann/transfer.hpp"

#include "cli/options/values.hpp"

namespace kann::cli {

/// An entry of --by.
struct TransferBy {
  std::string name;  ///< the name in NAME=METHOD; empty for METHOD alone
  TransferMethod method;

  bool operator==(const TransferBy&) const = default;
};

/// The entries METHOD and NAME=METHOD between commas. @throws Error usage.
std::vector<TransferBy> transfer_by(const Given& given);

/// Refuses entries that do not fit the names. Allowed are one method for all names, one method per name in their order,
/// or NAME=METHOD entries with at most one METHOD for the other names. @throws Error usage.
void check_transfer_by(std::span<const TransferBy> by, std::span<const std::string> names);

struct AskedMethod {
  TransferMethod method;
  bool is_for_others;  ///< it was given for all names, or for the other names; transfer_method() then decides
};

/// The method for a name, from entries that are checked; `place` is the place of the name in --transfer.
AskedMethod asked_method(std::span<const TransferBy> by, const std::string& name, std::size_t place);

}  // namespace kann::cli
