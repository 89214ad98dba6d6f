# Rules of `cmake --install`: the library, its package for find_package(kann), and the program if it is built.
include(CMakePackageConfigHelpers)

# Installs what `kann --generate WORD` prints as DESTINATION/NAME.
function(kann_install_generated word destination name)
  set(file "${CMAKE_CURRENT_BINARY_DIR}/generated/${name}")
  install(CODE "file(WRITE \"${file}\")
    execute_process(COMMAND \"$<TARGET_FILE:kann_program>\" --generate ${word} OUTPUT_FILE \"${file}\"
                    COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES ${file} DESTINATION ${destination})
endfunction()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/kann)
install(TARGETS kann EXPORT kannTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(KANN_PROGRAM)
  install(TARGETS kann_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  kann_install_generated(man ${CMAKE_INSTALL_MANDIR}/man1 kann.1)
  kann_install_generated(complete-bash ${CMAKE_INSTALL_DATADIR}/bash-completion/completions kann)
  kann_install_generated(complete-zsh ${CMAKE_INSTALL_DATADIR}/zsh/site-functions _kann)
  kann_install_generated(complete-fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d kann.fish)
  install(FILES docs/report.schema.json docs/info.schema.json docs/plan.schema.json DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()
install(DIRECTORY include/kann DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT kannTargets NAMESPACE kann:: DESTINATION ${package_dir})

configure_package_config_file(cmake/kannConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/kannConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/kannConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/kannConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/kannConfigVersion.cmake
              cmake/FindLibDeflate.cmake cmake/FindLASzip.cmake DESTINATION ${package_dir})
