// One source for host and device: the marker of functions that both compile.
#pragma once

#ifdef __CUDACC__
#define KANN_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define KANN_HOST_DEVICE inline
#endif
