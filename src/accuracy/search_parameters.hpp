// The one name for what nanoflann renamed in 1.5.
#pragma once

#include <nanoflann.hpp>

namespace kann::accuracy {

#if NANOFLANN_VERSION >= 0x150
using SearchParameters = nanoflann::SearchParameters;
#else
using SearchParameters = nanoflann::SearchParams;
#endif

}  // namespace kann::accuracy
