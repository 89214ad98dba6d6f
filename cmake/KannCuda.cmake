# Decides whether the CUDA backend is built (KANN_CUDA) and for which architectures.
include(CheckLanguage)

set(KANN_CUDA AUTO CACHE STRING "Build the CUDA backend: AUTO (if nvcc is found), ON or OFF")

if(NOT KANN_CUDA STREQUAL "OFF")
  # Debian and NVIDIA's packages leave nvcc off the PATH.
  find_program(KANN_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
  if(KANN_NVCC AND NOT CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_COMPILER ${KANN_NVCC})
  endif()
  # Without a list of the user's: the machine's own GPU if it has one, else Turing to Hopper, and PTX for later ones.
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    if(EXISTS /dev/nvidiactl)
      set(CMAKE_CUDA_ARCHITECTURES native)
    else()
      set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90)
    endif()
  endif()
  check_language(CUDA)
endif()

set(KANN_WITH_CUDA OFF)
if(NOT KANN_CUDA STREQUAL "OFF" AND CMAKE_CUDA_COMPILER)
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  set(KANN_WITH_CUDA ON)
  message(STATUS "kann: CUDA ${CUDAToolkit_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
elseif(KANN_CUDA STREQUAL "ON")
  message(FATAL_ERROR "KANN_CUDA is ON, but nvcc was not found; set CUDACXX to its path")
else()
  message(STATUS "kann: building without CUDA (no nvcc, or KANN_CUDA=OFF); the CPU backend does all the work")
endif()
