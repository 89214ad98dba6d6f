# Installs the build into a temporary folder, moves that folder, and configures, builds and runs the consumer against it.
# The installed program must start as well, and its manual be there.
file(REMOVE_RECURSE ${WORK_DIR})

macro(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endmacro()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --config ${CONFIG} --prefix ${WORK_DIR}/installed)
file(RENAME ${WORK_DIR}/installed ${WORK_DIR}/moved)

set(flags)
if(SANITIZE)
  set(flags -DCMAKE_CXX_FLAGS=-fsanitize=${SANITIZE})
endif()
run(${CMAKE_COMMAND} -S ${CONSUMER_DIR} -B ${WORK_DIR}/consumer -G ${GENERATOR} -DCMAKE_BUILD_TYPE=${CONFIG}
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${WORK_DIR}/moved ${flags})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/consumer --config ${CONFIG})
run(${WORK_DIR}/consumer/consumer)
run(${WORK_DIR}/moved/bin/kann --version)

# The examples, as a newcomer builds them.
run(${CMAKE_COMMAND} -S ${EXAMPLES_DIR} -B ${WORK_DIR}/examples -G ${GENERATOR} -DCMAKE_BUILD_TYPE=${CONFIG}
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${WORK_DIR}/moved ${flags})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/examples --config ${CONFIG})
file(WRITE ${WORK_DIR}/map.xyz "0 0 0\n1 0 0\n2 0 0\n")
file(WRITE ${WORK_DIR}/scan.xyz "0 3 0\n1 0 4\n2 0 0\n2 0 0\n")
execute_process(COMMAND ${WORK_DIR}/examples/scan_to_map map.xyz scan.xyz map.xyz WORKING_DIRECTORY ${WORK_DIR}
                OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
set(expected "scan.xyz: 4 points, root mean square distance 2.5\nmap.xyz: 3 points, root mean square distance 0\n")
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "scan_to_map says '${output}', not '${expected}'")
endif()
if(EXISTS ${WORK_DIR}/examples/device_pointers)
  run(${WORK_DIR}/examples/device_pointers)
endif()

foreach(file IN ITEMS share/man/man1/kann.1 share/bash-completion/completions/kann share/zsh/site-functions/_kann
                      share/fish/vendor_completions.d/kann.fish share/doc/kann/report.schema.json)
  if(NOT EXISTS ${WORK_DIR}/moved/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()

# An installed file must not contain the path of the build, which other machines do not have, nor a package that only the
# build needs.
file(GLOB_RECURSE installed ${WORK_DIR}/moved/*.cmake)
if(NOT installed)
  message(FATAL_ERROR "no CMake file was installed under ${WORK_DIR}/moved")
endif()
foreach(path IN LISTS installed)
  file(STRINGS ${path} lines REGEX "${BUILD_DIR}|nanoflann|fast_float|FastFloat|fmt::|spdlog|CLI11")
  if(lines)
    message(FATAL_ERROR "${path} leaks: ${lines}")
  endif()
endforeach()
