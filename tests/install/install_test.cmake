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

# Runs a program in the folder of the clouds; its output must match the expression.
function(run_example program output_pattern)
  execute_process(COMMAND ${program} ${ARGN} WORKING_DIRECTORY ${WORK_DIR} OUTPUT_VARIABLE output
                  COMMAND_ERROR_IS_FATAL ANY)
  if(NOT output MATCHES "^${output_pattern}\n$")
    message(FATAL_ERROR "${program} says '${output}', not '${output_pattern}'")
  endif()
endfunction()

run_example(${WORK_DIR}/examples/scan_to_map
            "scan.xyz: 4 points, root mean square distance 2.5\nmap.xyz: 3 points, root mean square distance 0"
            map.xyz scan.xyz map.xyz)
run_example(${WORK_DIR}/examples/draw_distances "4 points: median distance 0, 95 % within 4, all within 4" map.xyz
            scan.xyz distances.png)
file(READ ${WORK_DIR}/distances.png signature LIMIT 8 HEX)
if(NOT signature STREQUAL "89504e470d0a1a0a")
  message(FATAL_ERROR "draw_distances writes no PNG file, but ${signature}")
endif()

set(to_text ${WORK_DIR}/moved/bin/kann --device cpu --quiet -k 1 --output-format cloud-csv -o - --data)
file(WRITE ${WORK_DIR}/photo.csv "x,y,z,red,green,blue\n0,0,0,255,0,0\n1,0,0,0,128,0\n")
file(WRITE ${WORK_DIR}/bare.csv "x,y,z,ring\n0,0,1,7\n5,0,0,8\n")
run_example(${WORK_DIR}/examples/colour_scan "coloured.ply: 2 points, 0 without a colour" photo.csv bare.csv
            coloured.ply)
run_example("${to_text}" "x,y,z,red,green,blue,ring,[^\n]*\n0,0,1,255,0,0,7,[^\n]*\n5,0,0,0,128,0,8,[^\n]*" coloured.ply)

set(noisy "50 50 50\n")
foreach(x RANGE 5)
  foreach(y RANGE 5)
    string(APPEND noisy "${x} ${y} 0\n")
  endforeach()
endforeach()
file(WRITE ${WORK_DIR}/noisy.xyz "${noisy}")
run_example(${WORK_DIR}/examples/flag_outliers "1 of 37 points are outliers: [^\n]*" noisy.xyz flagged.ply)
run_example("${to_text}" "x,y,z,outlier,[^\n]*\n50,50,50,1,[^\n]*(\n[0-5],[0-5],0,0,[^\n]*)+" flagged.ply)
run_example(${WORK_DIR}/examples/map_of_frames
            "CPU: 2 frames of 121600 points in a map of 4864000, k = 5: [^\n]*, mean distance 0.02[0-9]* m" cpu 2)
if(EXISTS ${WORK_DIR}/examples/device_pointers)
  run(${WORK_DIR}/examples/device_pointers)
endif()

foreach(file IN ITEMS share/man/man1/kann.1 share/bash-completion/completions/kann share/zsh/site-functions/_kann
                      share/fish/vendor_completions.d/kann.fish share/doc/kann/report.schema.json
                      share/doc/kann/info.schema.json share/doc/kann/plan.schema.json)
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
