# What `pip install .` says where packages are missing: one command that installs them all. Included before project(), where
# only programs can be looked for.

function(kann_refuse_without)
  if(NOT ARGN)
    return()
  endif()
  list(JOIN ARGN ", " missing)
  file(READ ${CMAKE_CURRENT_SOURCE_DIR}/scripts/setup.sh setup)
  string(REGEX MATCH "packages=\\(([^)]*)\\)" all "${setup}")
  string(REGEX REPLACE "[ \n]+" " " packages "g++ ${CMAKE_MATCH_1} python3-dev")
  message(FATAL_ERROR "kann is built from packages that are missing here: ${missing}.\n"
                      "On Debian 12 and Ubuntu 24.04, this installs them all (as root):\n"
                      "  apt-get install ${packages}\n")  # indented lines are not wrapped
endfunction()

find_program(KANN_COMPILER NAMES $ENV{CXX} ${CMAKE_CXX_COMPILER} c++ g++ clang++)
if(NOT KANN_COMPILER)
  kann_refuse_without("a C++ compiler")
endif()

# After project().
macro(kann_check_packages)
  find_package(Python 3.10 QUIET COMPONENTS Interpreter Development.Module)
  find_path(HIGHWAY_INCLUDE_DIR hwy/contrib/sort/vqsort-inl.h)
  set(missing_packages "")
  foreach(package Python fmt nanoflann FastFloat LibDeflate PNG CLI11 spdlog tomlplusplus)
    find_package(${package} QUIET)
    if(NOT ${package}_FOUND)
      list(APPEND missing_packages ${package})
    endif()
  endforeach()
  if(NOT HIGHWAY_INCLUDE_DIR)
    list(APPEND missing_packages Highway)
  endif()
  kann_refuse_without(${missing_packages})
endmacro()
