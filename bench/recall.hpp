// An answer against the exact one of the same arithmetic: no tolerance is needed, and every query can be judged.
#pragma once

#include "kann/neighbors.hpp"

namespace kann::bench {

/// The part of the neighbours due that `found` has: those at most as far as the exact answer's neighbour number
/// found.k, no id twice in a row. `exact` has the same queries, and as many columns or more.
double recall_against(const Neighbors& found, const Neighbors& exact);

/// Whether `fewer` is, byte for byte, the first columns of `more`.
bool is_prefix(const Neighbors& fewer, const Neighbors& more);

/// Whether both are the same, byte for byte.
inline bool is_same(const Neighbors& a, const Neighbors& b) { return a.k == b.k && is_prefix(a, b); }

/// Whether all distances of two answers of one shape agree to 10⁻⁵ of them: peers round in another order.
bool is_near(const Neighbors& a, const Neighbors& b);

}  // namespace kann::bench
