# Most of the time of a small file goes to the headers that it shares with its neighbours. So the files of a folder are
# compiled together, and the headers that most of them need are read once.
#
# kann_compile_together(TARGET HEADERS…): groups the files of a target by their folders, at most 14 at a time, so that a
# change costs a few seconds. `-DKANN_UNITY=OFF` compiles each file by itself, as it must be possible.
option(KANN_UNITY "Compile the files of a folder together" ON)

function(kann_compile_together target)
  if(NOT KANN_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  list(FILTER sources INCLUDE REGEX "[.]cpp$")
  foreach(source IN LISTS sources)
    get_filename_component(source ${source} ABSOLUTE BASE_DIR ${folder})
    get_filename_component(group ${source} DIRECTORY)
    file(RELATIVE_PATH group ${PROJECT_SOURCE_DIR} ${group})
    string(MAKE_C_IDENTIFIER "${group}" group)
    math(EXPR number "(0${count_${group}}) / 14")
    math(EXPR count_${group} "0${count_${group}} + 1")
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group}_${number})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # GCC takes the included files for headers, which should have no anonymous namespaces.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  foreach(header IN LISTS ARGN)
    target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${header}>")
  endforeach()
endfunction()
