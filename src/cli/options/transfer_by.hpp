// --by: which method is for which name of --transfer.
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
  std::string name;  ///< of --transfer, of NAME=METHOD; else empty
  TransferMethod method;

  bool operator==(const TransferBy&) const = default;
};

/// METHOD and NAME=METHOD, between commas. @throws Error usage.
std::vector<TransferBy> transfer_by(const Given& given);

/// Refuses entries that are not for these names: one for all, one for each in their order, or names with at most one
/// for the others. @throws Error usage.
void check_transfer_by(std::span<const TransferBy> by, std::span<const std::string> names);

struct AskedMethod {
  TransferMethod method;
  bool is_for_others;  ///< whether it was said of all names, or of those that have none; then transfer_method() decides
};

/// The method for a name, by entries that are checked; `place` is that of the name in --transfer.
AskedMethod asked_method(std::span<const TransferBy> by, const std::string& name, std::size_t place);

}  // namespace kann::cli
