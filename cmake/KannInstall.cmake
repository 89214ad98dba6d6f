# Rules of `cmake --install`: the library, its package for find_package(kann), and the program if it is built.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/kann)
install(TARGETS kann EXPORT kannTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(KANN_PROGRAM)
  install(TARGETS kann_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY include/kann DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT kannTargets NAMESPACE kann:: DESTINATION ${package_dir})

configure_package_config_file(cmake/kannConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/kannConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/kannConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/kannConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/kannConfigVersion.cmake
              cmake/FindLibDeflate.cmake DESTINATION ${package_dir})
