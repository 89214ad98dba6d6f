# Installs the build into a folder of its own, moves that elsewhere, then configures, builds and runs the consumer
# against it; the installed program must start, too.
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

# What an installed file says about the place it was built in would break on every other machine.
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
