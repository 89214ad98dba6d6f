# The library can be configured without the program, and then does not need the packages that only the program uses:
# find_package() is disabled for them.
file(REMOVE_RECURSE ${WORK_DIR})
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${WORK_DIR} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX} -DKANN_CUDA=OFF
          -DKANN_PROGRAM=OFF -DKANN_TESTS=OFF -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON
          -DCMAKE_DISABLE_FIND_PACKAGE_spdlog=ON -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON
  COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK_DIR} --target help OUTPUT_VARIABLE targets
                COMMAND_ERROR_IS_FATAL ANY)
if(targets MATCHES "kann_program" OR NOT targets MATCHES "(^|\n)kann:")
  message(FATAL_ERROR "with KANN_PROGRAM=OFF the library is the only product, got: ${targets}")
endif()
