# cmake -DSOURCES=<file with one source a line> -DOPS=<A,B or empty> -DOUTPUT=<file> -P operator_table.cmake
#
# Writes the table of all SAMPAN_OPERATOR(Name, version) in the sources, sorted by name, or of those chosen.
file(STRINGS "${SOURCES}" sources)
cmake_minimum_required(VERSION 3.18)
set(names)
foreach(source ${sources})
  file(STRINGS "${source}" lines REGEX "^SAMPAN_OPERATOR\\([A-Za-z0-9_]+,")
  foreach(line ${lines})
    string(REGEX REPLACE "^SAMPAN_OPERATOR\\(([A-Za-z0-9_]+),.*" "\\1" name "${line}")
    if(name IN_LIST names)
      message(FATAL_ERROR "operator ${name} is defined twice; the second time in ${source}")
    endif()
    list(APPEND names "${name}")
  endforeach()
endforeach()
if(OPS)
  string(REPLACE "," ";" wanted "${OPS}")
  list(REMOVE_DUPLICATES wanted)
  foreach(name ${wanted})
    if(NOT name IN_LIST names)
      list(SORT names)
      message(FATAL_ERROR "SAMPAN_OPS names ${name}, which no file in lite_runtime/ops defines. There are: ${names}")
    endif()
  endforeach()
  set(names ${wanted})
endif()
list(SORT names)
list(LENGTH names count)
set(declarations)
set(entries)
foreach(name ${names})
  string(APPEND declarations "extern const OperatorDef kOperator${name};\n")
  string(APPEND entries "    &kOperator${name},\n")
endforeach()
if(count EQUAL 0)
  set(entries "    nullptr,\n")
endif()
file(WRITE "${OUTPUT}" "// Made by cmake/operator_table.cmake.
#include \"core/op.h\"

namespace sampan {
${declarations}
static const OperatorDef* const kOperators[] = {
${entries}};

OperatorTable operator_table() { return {kOperators, ${count}}; }

}  // namespace sampan
")
