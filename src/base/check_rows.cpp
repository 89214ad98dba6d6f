#include "kann/neighbors.hpp"

namespace kann {

void check_rows(const Neighbors& n, const std::string& who, ErrorKind kind) {
  __extension__ using Wide = __int128;
  const Wide values = static_cast<Wide>(n.queries) * n.k;
  if (n.queries < 0 || n.k < 0 || n.ids.size() != values || n.distances.size() != values)
    throw Error(kind, who + ": " + std::to_string(n.queries) + " rows of " + std::to_string(n.k) +
                          " neighbours do not match " + std::to_string(n.ids.size()) + " ids and " +
                          std::to_string(n.distances.size()) + " distances");
}

}  // namespace kann
