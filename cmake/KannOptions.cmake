# The compile options of all code of the project: the interface target kann_options.
set(KANN_SANITIZE "" CACHE STRING "Sanitizers for host code, e.g. address,undefined")

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

add_library(kann_options INTERFACE)
# The answer is defined by exact floating-point operations: no compiler, nor the host compiler of nvcc, may fuse them.
# -Wrestrict and -Wstringop-overflow have false positives on std::string in GCC 12. CMake 3.25 cannot set C++20 for nvcc, so
# the flag is here.
target_compile_options(
  kann_options
  INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Wconversion;-Wno-sign-conversion;$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow>;-ffp-contract=off;-ffunction-sections;-fdata-sections>
    $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;--fmad=false;-Xcompiler=-Wall;-Xcompiler=-ffp-contract=off;-Xfatbin=-compress-all>)
if(KANN_SANITIZE)
  # One flag per sanitizer, since nvcc splits the argument of -Xcompiler at commas.
  string(REPLACE "," ";" sanitizers "${KANN_SANITIZE}")
  list(TRANSFORM sanitizers PREPEND -Xcompiler=-fsanitize= OUTPUT_VARIABLE cuda_sanitizers)
  target_compile_options(
    kann_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${KANN_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer>
                           $<$<COMPILE_LANGUAGE:CUDA>:${cuda_sanitizers};-Xcompiler=-fno-omit-frame-pointer>)
  target_link_options(kann_options INTERFACE -fsanitize=${KANN_SANITIZE})
endif()

# The commit of the source tree when CMake runs, as it does again after a commit.
set(KANN_COMMIT unknown)
find_package(Git QUIET)
if(Git_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty --abbrev=10 --exclude=*
                  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE KANN_COMMIT
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --git-path logs/HEAD
                  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE git_log
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  get_filename_component(git_log "${git_log}" ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR})
  if(EXISTS ${git_log})
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${git_log})
  endif()
endif()
