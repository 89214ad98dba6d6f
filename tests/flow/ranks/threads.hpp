// Ranks that are threads of this process, for tests and bench_ranks.
#pragma once

#include <functional>

#include "flow/ranks/communicator.hpp"

namespace kann::flow {

/// Calls f(communicator) on `ranks` threads, each with its own. Blocks until all have returned. Rethrows the exception
/// of the rank that threw first.
void run_on_threads(int ranks, const std::function<void(Communicator&)>& f);

}  // namespace kann::flow
