# Rules of `cmake --install`: the library, its package for find_package(kann), and the program if it is built.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/kann)
install(TARGETS kann EXPORT kannTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(KANN_PROGRAM)
  install(TARGETS kann_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  set(manual_folder ${CMAKE_CURRENT_BINARY_DIR}/manual)
  install(FILES ${manual_folder}/kann.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${manual_folder}/kann.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME kann)
  install(FILES ${manual_folder}/_kann DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${manual_folder}/kann.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(FILES docs/report.schema.json DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()
install(DIRECTORY include/kann DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT kannTargets NAMESPACE kann:: DESTINATION ${package_dir})

configure_package_config_file(cmake/kannConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/kannConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/kannConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/kannConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/kannConfigVersion.cmake
              cmake/FindLibDeflate.cmake DESTINATION ${package_dir})
