// kann::check_reference() for a reference whose rows come in blocks.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace kann::accuracy {

/// Refuses a reference of so many rows that does not have one for each query. @throws Error bad_input.
void check_reference_rows(std::int64_t rows, std::int64_t queries, const std::string& name);

/// Refuses rows of k ids each, the first of which has the number `first`, as check_reference() does. @throws Error
/// bad_input.
void check_reference_ids(std::span<const std::int64_t> ids, std::int64_t k, std::int64_t first, std::int64_t points,
                         Images images, const std::string& name);

}  // namespace kann::accuracy
