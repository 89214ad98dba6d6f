# LASzip (LAZ files), which neither Debian 12 nor Ubuntu 24.04 has; conda-forge, vcpkg and Homebrew do. Its API is in the
# library laszip itself: laszip_api only loads that library when a program starts. From 3.5 on, laszip_api.h includes its
# neighbours without the folder's name. The static library comes first, as that of libdeflate does.
find_path(LASzip_INCLUDE_DIR laszip/laszip_api.h)
find_library(LASzip_LIBRARY NAMES liblaszip.a laszip laszip3)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LASzip REQUIRED_VARS LASzip_LIBRARY LASzip_INCLUDE_DIR)
mark_as_advanced(LASzip_INCLUDE_DIR LASzip_LIBRARY)
if(LASzip_FOUND AND NOT TARGET LASzip::LASzip)
  add_library(LASzip::LASzip UNKNOWN IMPORTED)
  set_target_properties(
    LASzip::LASzip PROPERTIES IMPORTED_LOCATION ${LASzip_LIBRARY}
                              INTERFACE_INCLUDE_DIRECTORIES "${LASzip_INCLUDE_DIR};${LASzip_INCLUDE_DIR}/laszip")
endif()
