// Sets of numbers that grow together, as many threads of a host or a device unite them.
//
// A forest in which every tree is a set and every root is the smallest number of its set: so the sets do not depend on
// the order in which threads unite them. Lock-free (Anderson and Woll 1991): a root is hung below a smaller number by a
// compare-and-swap; paths are halved on the way (Jaiganesh and Burtscher 2018).
//
// `Parents` has the parent of each number, no larger than it; a root is its own. Any thread may call its functions:
//   load(i), store(i, parent), and replace(i, from, to), which says whether the parent of i was `from`, and is `to`
//   now.
#pragma once

#include "geometry/host_device.hpp"

// Parents that only a host has are called by the host alone
#ifdef __CUDACC__
#define KANN_CALLS_ANY _Pragma("nv_exec_check_disable")
#else
#define KANN_CALLS_ANY
#endif

namespace kann::geometry {

/// The smallest number of the set of `i`, as far as threads have united it.
KANN_CALLS_ANY
template <class Number, class Parents>
KANN_HOST_DEVICE Number root_of(Parents& parents, Number i) {
  for (Number parent = parents.load(i); parent != i;) {
    const Number above = parents.load(parent);
    if (above != parent) parents.store(i, above);
    i = parent;
    parent = above;
  }
  return i;
}

KANN_CALLS_ANY
template <class Number, class Parents>
KANN_HOST_DEVICE bool are_united(Parents& parents, Number a, Number b) {
  return parents.load(a) == parents.load(b) || root_of(parents, a) == root_of(parents, b);
}

KANN_CALLS_ANY
template <class Number, class Parents>
KANN_HOST_DEVICE void unite(Parents& parents, Number a, Number b) {
  if (parents.load(a) == parents.load(b)) return;
  for (;;) {
    a = root_of(parents, a);
    b = root_of(parents, b);
    if (a == b) return;
    const Number smaller = a < b ? a : b, larger = a < b ? b : a;
    if (parents.replace(larger, larger, smaller)) return;
  }
}

}  // namespace kann::geometry

#undef KANN_CALLS_ANY
