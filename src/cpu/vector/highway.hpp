// Highway, for files that are compiled once per vector target (kann_per_vector_target in cmake/KannVectors.cmake), each
// time with another KANN_VECTOR_TARGET: HWY_SCALAR, HWY_AVX2, HWY_AVX3 or HWY_NEON. Such a file puts its code into the
// namespace HWY_NAMESPACE. With one object file per target, several processors can compile them at once, and neither
// Highway's repeated inclusion nor include guards that allow for it are needed.
//
// Only Highway's headers are used, since no package has its library as a static one. Highway's own choice of a target
// is in that library, so the choice is made in vector_target.hpp.
#pragma once

#define HWY_BASELINE_TARGETS KANN_VECTOR_TARGET  // whatever the compiler's flags allow
#define HWY_DISABLED_TARGETS (~KANN_VECTOR_TARGET)
#define HWY_BROKEN_EMU128 1  // the scalar target is HWY_SCALAR

#include <hwy/highway.h>

#include "cpu/vector/vector_target.hpp"

/// Whether this compilation also has what all targets share: the functions that choose a target.
#define KANN_ONCE (HWY_TARGET == HWY_SCALAR)

/// Declares functions of each target, under KANN_ONCE. KANN_DISPATCH(name) is the function of the target in use.
#if defined(__x86_64__)
#define KANN_ON_EACH_TARGET(...) \
  namespace N_SCALAR {           \
  __VA_ARGS__                    \
  }                              \
  namespace N_AVX2 {             \
  __VA_ARGS__                    \
  }                              \
  namespace N_AVX3 {             \
  __VA_ARGS__                    \
  }
#define KANN_DISPATCH(name)                                \
  (vector_target() == VectorTarget::avx512 ? &N_AVX3::name \
   : vector_target() == VectorTarget::avx2 ? &N_AVX2::name \
                                           : &N_SCALAR::name)
#elif defined(__aarch64__)
#define KANN_ON_EACH_TARGET(...) \
  namespace N_SCALAR {           \
  __VA_ARGS__                    \
  }                              \
  namespace N_NEON {             \
  __VA_ARGS__                    \
  }
#define KANN_DISPATCH(name) (vector_target() == VectorTarget::neon ? &N_NEON::name : &N_SCALAR::name)
#else
#define KANN_ON_EACH_TARGET(...) \
  namespace N_SCALAR {           \
  __VA_ARGS__                    \
  }
#define KANN_DISPATCH(name) (&N_SCALAR::name)
#endif
