# kann_pip(FAILED ARGUMENT…): runs pip, in an environment in the build folder (KANN_VENV), and sets FAILED to why it could
# not, or to nothing.
set(KANN_VENV ${CMAKE_BINARY_DIR}/venv)

function(kann_pip failed)
  set(result 0)
  if(NOT EXISTS ${KANN_VENV}/bin/pip)
    find_package(Python COMPONENTS Interpreter QUIET)
    execute_process(COMMAND ${Python_EXECUTABLE} -m venv --clear ${KANN_VENV} RESULT_VARIABLE result OUTPUT_VARIABLE why
                    ERROR_VARIABLE why)
  endif()
  if(result EQUAL 0)
    set(quietly --quiet --disable-pip-version-check --retries 1 --timeout 10)
    execute_process(COMMAND ${KANN_VENV}/bin/pip ${ARGN} ${quietly} RESULT_VARIABLE result OUTPUT_VARIABLE why
                    ERROR_VARIABLE why)
  endif()
  set(${failed} "" PARENT_SCOPE)
  if(NOT result EQUAL 0)
    set(${failed} "${result} ${why}" PARENT_SCOPE)
  endif()
endfunction()
