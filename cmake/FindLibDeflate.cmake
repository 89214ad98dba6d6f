# libdeflate (npz files); the package of Debian 12 has no CMake files. The static library comes first, so that
# the program runs on machines without the package.
find_path(LibDeflate_INCLUDE_DIR libdeflate.h)
find_library(LibDeflate_LIBRARY NAMES libdeflate.a deflate)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibDeflate REQUIRED_VARS LibDeflate_LIBRARY LibDeflate_INCLUDE_DIR)
mark_as_advanced(LibDeflate_INCLUDE_DIR LibDeflate_LIBRARY)
if(LibDeflate_FOUND AND NOT TARGET LibDeflate::LibDeflate)
  add_library(LibDeflate::LibDeflate UNKNOWN IMPORTED)
  set_target_properties(LibDeflate::LibDeflate PROPERTIES IMPORTED_LOCATION ${LibDeflate_LIBRARY}
                                                          INTERFACE_INCLUDE_DIRECTORIES ${LibDeflate_INCLUDE_DIR})
endif()
