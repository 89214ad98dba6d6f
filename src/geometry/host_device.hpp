// The specifiers of functions that are compiled for host and device from one source.
#pragma once

#ifdef __CUDACC__
#define KANN_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define KANN_HOST_DEVICE inline
#endif
