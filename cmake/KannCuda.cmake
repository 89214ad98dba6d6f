# Decides whether the CUDA backend is built (KANN_CUDA) and for which architectures.
include(CheckLanguage)

set(KANN_CUDA AUTO CACHE STRING "Build the CUDA backend: AUTO (if a usable nvcc is found), ON or OFF")
set(minimum_cuda 12.0)  # the first version whose nvcc supports C++20; the package of Debian 12 is 11.8

# A validator for find_program, which skips older compilers.
function(kann_check_nvcc is_usable nvcc)
  execute_process(COMMAND ${nvcc} --version OUTPUT_VARIABLE text ERROR_QUIET)
  if(NOT text MATCHES "release ([0-9]+\\.[0-9]+)")
    message(STATUS "kann: ${nvcc} prints no version and is not used")
    set(${is_usable} FALSE PARENT_SCOPE)
  elseif(CMAKE_MATCH_1 VERSION_LESS minimum_cuda)
    message(STATUS "kann: ${nvcc} is CUDA ${CMAKE_MATCH_1} and is not used: C++20 needs ${minimum_cuda} or later")
    set(${is_usable} FALSE PARENT_SCOPE)
  endif()
endfunction()

if(NOT KANN_CUDA STREQUAL "OFF")
  # If the user sets no architectures: that of the GPU of this machine, or else Turing to Hopper and PTX for later GPUs.
  # The code of 8.0 runs on 8.6 and 8.9 as well; each architecture adds about a minute of two cores to the build.
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT "$ENV{CUDAARCHS}" STREQUAL "")
    # CMake itself reads the variable in a new build folder alone
    set(CMAKE_CUDA_ARCHITECTURES $ENV{CUDAARCHS} CACHE STRING "CUDA architectures")
  elseif(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    if(EXISTS /dev/nvidiactl)
      set(CMAKE_CUDA_ARCHITECTURES native)
    else()
      set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 90)
    endif()
  endif()
  # A compiler set by the user is used. The packages of Debian and NVIDIA do not add nvcc to the PATH.
  if(CMAKE_CUDA_COMPILER OR NOT "$ENV{CUDACXX}" STREQUAL "")
    check_language(CUDA)
  else()
    find_program(KANN_NVCC nvcc HINTS ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin VALIDATOR kann_check_nvcc)
    if(KANN_NVCC)
      set(CMAKE_CUDA_COMPILER ${KANN_NVCC})
    endif()
  endif()
endif()

set(KANN_WITH_CUDA OFF)
if(NOT KANN_CUDA STREQUAL "OFF" AND CMAKE_CUDA_COMPILER)
  enable_language(CUDA)
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS minimum_cuda)
    message(FATAL_ERROR "${CMAKE_CUDA_COMPILER} is CUDA ${CMAKE_CUDA_COMPILER_VERSION}; C++20 needs ${minimum_cuda} or "
                        "later (KANN_CUDA=OFF builds without)")
  endif()
  find_package(CUDAToolkit REQUIRED)
  set(KANN_WITH_CUDA ON)
  message(STATUS "kann: CUDA ${CUDAToolkit_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
elseif(KANN_CUDA STREQUAL "ON")
  message(FATAL_ERROR "KANN_CUDA is ON, but no nvcc ${minimum_cuda} or later was found; set CUDACXX to its path")
else()
  message(STATUS "kann: building without CUDA (no nvcc ${minimum_cuda} or later, or KANN_CUDA=OFF); "
                 "the CPU backend does all the work")
endif()
