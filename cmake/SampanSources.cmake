# What follows from a source file's name: the flags of kernels, the table of operators.

# sampan_drop_foreign_kernels(<list variable>): takes out kernels of other processors.
function(sampan_drop_foreign_kernels variable)
  set(sources ${${variable}})
  if(NOT SAMPAN_TARGET_X86_64)
    list(FILTER sources EXCLUDE REGEX "_(avx2|avx512)\\.cc$")
  endif()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# sampan_kernel_flags(<sources>): flags by suffix. Kernels get -O3; a Debug build keeps its -O0, and sanitizers take -O1
# (g++ 12 needs minutes and a gigabyte for an unrolled tile that is both instrumented and optimised).
function(sampan_kernel_flags sources)
  set(avx2 -mavx2 -mfma -mf16c)
  set(avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl ${avx2})
  set(level -O3)
  if(SAMPAN_SANITIZE)
    set(level -O1)
  endif()
  foreach(source ${sources})
    set(flags $<$<NOT:$<CONFIG:Debug>>:${level}>)
    if(source MATCHES "_avx2\\.cc$")
      list(APPEND flags ${avx2})
    elseif(source MATCHES "_avx512\\.cc$")
      list(APPEND flags ${avx512})
    endif()
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${flags}")
  endforeach()
endfunction()

# sampan_operator_table(<output variable> <sources>): operator_table.cc, made again when a source changes.
function(sampan_operator_table variable sources)
  set(table "${SAMPAN_GENERATED_DIR}/operator_table.cc")
  set(list_file "${SAMPAN_GENERATED_DIR}/operator_sources.txt")
  string(REPLACE ";" "\n" lines "${sources}")
  file(GENERATE OUTPUT "${list_file}" CONTENT "${lines}\n")
  string(REPLACE ";" "," ops "${SAMPAN_OPS}")
  add_custom_command(
    OUTPUT "${table}"
    COMMAND ${CMAKE_COMMAND} -DSOURCES=${list_file} -DOPS=${ops} -DOUTPUT=${table}
            -P "${PROJECT_SOURCE_DIR}/cmake/operator_table.cmake"
    DEPENDS ${sources} "${list_file}" "${PROJECT_SOURCE_DIR}/cmake/operator_table.cmake"
    VERBATIM COMMENT "Generating operator_table.cc")
  set(${variable} "${table}" PARENT_SCOPE)
endfunction()
