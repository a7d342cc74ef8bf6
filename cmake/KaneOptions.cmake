# Language, tools and flags: decided once, for every target of the project.
include_guard()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)  # packages found by one module are visible to the others
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
endif()

option(KANE_WARNINGS_AS_ERRORS "Stop at the first warning" ON)
option(KANE_UNITY "Compile each module and each test program as one unit" OFF)
set(KANE_SEPARATE "" CACHE STRING "Targets that KANE_UNITY leaves alone, e.g. kane_solve;solve_test")
set(KANE_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined or thread; empty = none")

set(KANE_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND KANE_WARNINGS -Wno-restrict)  # false alarms on "text" + string (GCC bug 105651)
endif()
if(KANE_WARNINGS_AS_ERRORS)
  list(APPEND KANE_WARNINGS -Werror)
endif()
# Contraction changes results between builds; only generated kernels contract, and only on request.
set(KANE_COMPILE_OPTIONS ${KANE_WARNINGS} -ffp-contract=off)
# -O2 where equations are formed and analysed: compiling takes a third less time than with -O3, and running takes the
# same. Modules whose loops over numbers run at every step ask for the rest (HOT in kane_module).
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
set(KANE_HOT $<$<CONFIG:Release>:-O3>)
# For tests, readers and writers of files and the code of the commands, where the time goes into compiling.
set(KANE_QUICK_TO_COMPILE $<$<NOT:$<CONFIG:None>>:-Og>)
# gcc collects garbage less often: a tenth of the time for half a gigabyte of memory.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND KANE_COMPILE_OPTIONS --param=ggc-min-expand=70 --param=ggc-min-heapsize=800000)
endif()
set(KANE_COMMON_HEADERS <fmt/format.h> <algorithm> <functional> <map> <memory> <string> <vector>)

# A file spends most of its time on headers and templates that the others of its module need as well. Compiled together
# they take under a third of the processor time; a change then compiles its whole module. So builds from
# scratch (make run, make test and the sanitizers in a fresh folder) join them, and builds for editing do not.
if(KANE_UNITY)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 0)
  list(APPEND KANE_COMPILE_OPTIONS -Wno-shadow)  # a local name may be a constant of the next file
endif()

if(KANE_SANITIZE)
  add_compile_options(-fsanitize=${KANE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${KANE_SANITIZE})
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()

# A compiler cache and a fast linker are used where they are found; nothing depends on them. The cache accepts
# precompiled headers only if told to ignore the macros defined in them.
find_program(KANE_CCACHE ccache)
if(KANE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${KANE_CCACHE}")
endif()
find_program(KANE_MOLD mold)
find_program(KANE_LLD ld.lld)
if(KANE_MOLD)
  add_link_options(-fuse-ld=mold)
elseif(KANE_LLD)
  add_link_options(-fuse-ld=lld)
endif()
