# Flags that every part is compiled with, and what the compiler and target are capable of.

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(SAMPAN_CCACHE ccache)
  if(SAMPAN_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${SAMPAN_CCACHE}")
  endif()
endif()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# The target's processor, asked of the compiler: CMAKE_SYSTEM_PROCESSOR is the host's when the
# compiler itself is told to cross-compile (zig, clang --target).
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("#if !defined(__x86_64__) && !defined(_M_X64)
#error other
#endif
int main() { return 0; }" SAMPAN_TARGET_X86_64)

set(SAMPAN_WARNINGS -Wall -Wextra -Werror)
set(SAMPAN_CODE_FLAGS -ffp-contract=off -fvisibility=hidden -fvisibility-inlines-hidden
                      -ffunction-sections -fdata-sections)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # zig switches UBSan traps on by itself in some modes; sanitizers are SAMPAN_SANITIZE's business.
  # It also adds debug information to release builds: ten times the size.
  list(APPEND SAMPAN_CODE_FLAGS -fno-sanitize=all $<$<CONFIG:Release>:-g0>)
endif()
set(SAMPAN_LINK_FLAGS)
if(SAMPAN_SANITIZE)
  set(SAMPAN_SANITIZE_FLAGS -fsanitize=${SAMPAN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  list(REMOVE_ITEM SAMPAN_CODE_FLAGS -fno-sanitize=all)
  list(APPEND SAMPAN_CODE_FLAGS ${SAMPAN_SANITIZE_FLAGS})
  list(APPEND SAMPAN_LINK_FLAGS -fsanitize=${SAMPAN_SANITIZE})
  if(SAMPAN_SANITIZE MATCHES "undefined")
    list(APPEND SAMPAN_CODE_FLAGS -fno-sanitize=vptr)  # needs the RTTI that is switched off
  endif()
endif()
if(SAMPAN_FUZZ)
  list(REMOVE_ITEM SAMPAN_CODE_FLAGS -fno-sanitize=all)
  list(APPEND SAMPAN_CODE_FLAGS -fsanitize=fuzzer-no-link)
endif()

# sampan_target(<target>): warnings, code flags, include directories; no exceptions, no RTTI.
function(sampan_target target)
  target_compile_options(${target} PRIVATE ${SAMPAN_WARNINGS} ${SAMPAN_CODE_FLAGS} -fno-exceptions -fno-rtti)
  sampan_common(${target})
endfunction()

# The same for code that may throw: the Python binding.
function(sampan_throwing_target target)
  target_compile_options(${target} PRIVATE ${SAMPAN_WARNINGS} ${SAMPAN_CODE_FLAGS})
  sampan_common(${target})
endfunction()

function(sampan_common target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/lite_runtime
                                               ${PROJECT_SOURCE_DIR}/lite_runtime/include)
  target_include_directories(${target} SYSTEM PRIVATE ${SAMPAN_GENERATED_DIR} ${SAMPAN_FLATBUFFERS_INCLUDE})
  target_compile_definitions(${target} PRIVATE SAMPAN_VERSION="${PROJECT_VERSION}")
  if(SAMPAN_TARGET_X86_64)
    target_compile_definitions(${target} PRIVATE SAMPAN_HAVE_AVX2=1 SAMPAN_HAVE_AVX512=1)
  endif()
  target_link_options(${target} PRIVATE ${SAMPAN_LINK_FLAGS})
endfunction()
