// Highway, for the files that are compiled once per vector target: what is compiled, and how a target is chosen.
//
// Such a file says HWY_TARGET_INCLUDE, includes this, then <hwy/foreach_target.h> and <hwy/highway.h>, and puts its
// code into the namespace HWY_NAMESPACE. Only Highway's headers are used, since no package has its library static; its
// own choice of a target is in that library.
#pragma once

#define HWY_COMPILE_ALL_ATTAINABLE  // HWY_SCALAR too, whatever the compiler's flags allow
#if defined(__x86_64__)
#define HWY_DISABLED_TARGETS (~(HWY_AVX3 | HWY_AVX2 | HWY_SCALAR))
#else
#define HWY_DISABLED_TARGETS (~HWY_SCALAR)
#endif
#define HWY_BROKEN_EMU128 1  // the scalar target is HWY_SCALAR

#include "cpu/vector/vector_target.hpp"

/// The function `name` of the target in use; at HWY_ONCE, after the code.
#if defined(__x86_64__)
#define KANN_DISPATCH(name)                                \
  (vector_target() == VectorTarget::avx512 ? &N_AVX3::name \
   : vector_target() == VectorTarget::avx2 ? &N_AVX2::name \
                                           : &N_SCALAR::name)
#else
#define KANN_DISPATCH(name) (&N_SCALAR::name)
#endif
