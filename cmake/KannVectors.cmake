# Files that are compiled once per vector target (src/cpu/vector/highway.hpp), whose object files then share the cores.
find_path(HIGHWAY_INCLUDE_DIR hwy/contrib/sort/vqsort-inl.h REQUIRED)
mark_as_advanced(HIGHWAY_INCLUDE_DIR)

set(KANN_VECTOR_TARGETS SCALAR)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND KANN_VECTOR_TARGETS AVX2 AVX3)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  list(APPEND KANN_VECTOR_TARGETS NEON)
endif()

# kann_per_vector_target(TARGET FILES…) adds the files to a library or program, once per vector target.
function(kann_per_vector_target target)
  foreach(vectors IN LISTS KANN_VECTOR_TARGETS)
    set(objects ${target}_${vectors})
    add_library(${objects} OBJECT ${ARGN})
    target_compile_definitions(${objects} PRIVATE KANN_VECTOR_TARGET=HWY_${vectors})
    target_compile_features(${objects} PRIVATE cxx_std_20)
    target_include_directories(${objects} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>
                                                  ${PROJECT_SOURCE_DIR}/include)
    target_include_directories(${objects} SYSTEM PRIVATE ${HIGHWAY_INCLUDE_DIR})
    target_link_libraries(${objects} PRIVATE kann_options)
    # Highway's target has AES, which is not used here; without the flag, GCC 12 does not inline what has it into what has not
    if(vectors STREQUAL NEON)
      target_compile_options(${objects} PRIVATE -march=armv8-a+crypto)
    endif()
    # As Highway's own build: without it, GCC copies a table onto the stack at every step of the sort, which takes five
    # times as long, and at every compression (AVX2: selection twice as long). AddressSanitizer takes the merged tables
    # for variables out of scope; it makes GCC 12 compile nearest.cpp in 74 s with -O1 and in 9 s with -O0.
    # UndefinedBehaviorSanitizer would take minutes and gigabytes. Highway's
    # own checks need its library, and some that are never reached stay in the code that clang does not optimize.
    if(KANN_SANITIZE)
      target_compile_definitions(${objects} PRIVATE HWY_IS_DEBUG_BUILD=0)
      target_compile_options(${objects} PRIVATE -fno-sanitize=undefined -fno-sanitize-address-use-after-scope)
      if(KANN_SANITIZE MATCHES address)
        target_compile_options(${objects} PRIVATE -O0)
      endif()
    else()
      target_compile_options(${objects} PRIVATE -fmerge-all-constants)
    endif()
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
  endforeach()
endfunction()
