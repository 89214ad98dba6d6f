// Compares an answer with the exact answer in the same arithmetic, which needs no tolerance, for all queries.
#pragma once

#include "kann/neighbors.hpp"

namespace kann::bench {

/// The recall of `found`: the fraction of exact neighbours in its rows. A neighbour counts, once per row, if it is not
/// farther than neighbour number found.k of `exact`, which has the same queries and found.k columns or more.
double recall_against(const Neighbors& found, const Neighbors& exact);

/// Whether `fewer` has the same bytes as the first columns of `more`, except that neighbours at the last distance of
/// `fewer` may be others where `more` goes on with that distance: several squared distances have one root in float32.
bool is_prefix(const Neighbors& fewer, const Neighbors& more);

/// Whether both have the same bytes.
inline bool is_same(const Neighbors& a, const Neighbors& b) { return a.k == b.k && is_prefix(a, b); }

/// Whether all distances of two answers of one shape agree to a relative 10⁻⁵, since peers round in another order.
bool is_near(const Neighbors& a, const Neighbors& b);

}  // namespace kann::bench
