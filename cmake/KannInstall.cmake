# find_package(kann) after `cmake --install`.
include(CMakePackageConfigHelpers)

install(TARGETS kann EXPORT kannTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET kann_program)
  install(TARGETS kann_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY include/kann DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT kannTargets NAMESPACE kann:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/kann)
configure_package_config_file(cmake/kannConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/kannConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/kann)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/kannConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/kannConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/kannConfigVersion.cmake
              cmake/FindLibDeflate.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/kann)
