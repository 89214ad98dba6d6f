// One name for nanoflann's search parameters, which version 1.5 renamed.
#pragma once

#include <nanoflann.hpp>

namespace kann::accuracy {

#if NANOFLANN_VERSION >= 0x150
using SearchParameters = nanoflann::SearchParameters;
#else
using SearchParameters = nanoflann::SearchParams;
#endif

}  // namespace kann::accuracy
