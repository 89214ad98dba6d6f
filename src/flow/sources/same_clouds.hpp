// Whether all ranks see the same files.
#pragma once

#include "flow/ranks/communicator.hpp"
#include "flow/sources/point_source.hpp"

namespace kann::flow {

/// Refuses a cloud that is not the same for all ranks, as on hosts whose folders differ: by its size, and by points
/// from all over it. All ranks call it; it blocks. @throws Error bad_input; as PointSource::for_each_block().
void check_same(const PointSource& cloud, Communicator& ranks);

}  // namespace kann::flow
