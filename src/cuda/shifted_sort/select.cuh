// The two ways of select(), by list size.
#pragma once

#include "cuda/shifted_sort/select.hpp"

namespace kann::cuda {

void select_in_registers(const Windows&, const KeptLists&, const ResultRows&, cudaStream_t);
void select_in_blocks(const Windows&, const KeptLists&, const ResultRows&, cudaStream_t);

}  // namespace kann::cuda
