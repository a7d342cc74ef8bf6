# The functions that the short CMake files of the modules call.
include_guard()

# kane_find_package(NAME arguments of find_package...)
#
# find_package for a module of the library. It also tells the installed KaneConfig.cmake to look for the package again,
# since a static library needs its dependencies wherever it is linked.
macro(kane_find_package name)
  find_package(${name} ${ARGN})
  set(_kane_package "${name}" ${ARGN})
  list(REMOVE_ITEM _kane_package REQUIRED QUIET)
  list(JOIN _kane_package " " _kane_package)
  set_property(GLOBAL APPEND PROPERTY KANE_PACKAGES "${_kane_package}")
endmacro()

# kane_compile_apart(TARGET): a target that is being worked on is compiled file by file, although KANE_UNITY is set.
function(kane_compile_apart target)
  if(target IN_LIST KANE_SEPARATE)
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  endif()
endfunction()

# kane_module(NAME [QUICK_TO_COMPILE | HOT] LINKS <kane modules> EXTERNAL <imported targets> PRIVATE_EXTERNAL <imported targets>)
#
# QUICK_TO_COMPILE is for readers and writers of files, which run once: little optimisation, half the time to compile.
# HOT is for code that runs at every step: all optimisation.
# Makes the static library kane_NAME (alias Kane::NAME) of all sources in the module's folder and its sub-folders. LINKS is the list
# of allowed arrows; scripts/check_arrows.py checks the includes against the same lists, and the lists against
# scripts/arrows.txt. A module with headers only becomes an interface library.
function(kane_module name)
  cmake_parse_arguments(ARG "QUICK_TO_COMPILE;HOT" "" "LINKS;EXTERNAL;PRIVATE_EXTERNAL" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.hpp")
  if(sources)
    set(scope PUBLIC)
    add_library(kane_${name} STATIC ${sources} ${headers})
    kane_compile_apart(kane_${name})
    target_compile_options(kane_${name} PRIVATE ${KANE_COMPILE_OPTIONS})
    target_link_libraries(kane_${name} PRIVATE ${ARG_PRIVATE_EXTERNAL})
    if(ARG_QUICK_TO_COMPILE)
      target_compile_options(kane_${name} PRIVATE ${KANE_QUICK_TO_COMPILE})
    elseif(ARG_HOT)
      target_compile_options(kane_${name} PRIVATE ${KANE_HOT})
    endif()
    if(KANE_SANITIZE)
      # The library runs more than it is compiled. Sanitizers are slow to compile; the other builds check that every
      # file includes what it uses.
      target_compile_options(kane_${name} PRIVATE -O1)
      if(NOT KANE_UNITY)
        target_precompile_headers(kane_${name} PRIVATE ${KANE_COMMON_HEADERS})
      endif()
    endif()
  else()
    set(scope INTERFACE)
    add_library(kane_${name} INTERFACE)
  endif()
  add_library(Kane::${name} ALIAS kane_${name})
  set_target_properties(kane_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(kane_${name} ${scope} cxx_std_20)
  target_include_directories(kane_${name} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  list(TRANSFORM ARG_LINKS PREPEND "Kane::" OUTPUT_VARIABLE links)
  target_link_libraries(kane_${name} ${scope} ${links} ${ARG_EXTERNAL})
  set_property(GLOBAL APPEND PROPERTY KANE_MODULES kane_${name})
endfunction()

# kane_test(NAME LINKS <kane modules> EXTERNAL <targets>): one test program of all sources in the folder. Sources see
# KANE_SOURCE_DIR, KANE_BINARY_DIR and KANE_COMMAND (the kane command, whether it is built yet or not), and
# KANE_SANITIZED in a build with sanitizers, where limits of time and memory must be wider.
#
# Every TEST is a test of ctest, with the same random cases each time (run the program directly for new ones). A suite
# whose name ends in Slow is left out of the sanitizer runs.
function(kane_test name)
  cmake_parse_arguments(ARG "" "" "LINKS;EXTERNAL" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  if(NOT sources)
    return()
  endif()
  add_executable(${name}_test ${sources})
  kane_compile_apart(${name}_test)
  target_compile_options(${name}_test PRIVATE ${KANE_COMPILE_OPTIONS} ${KANE_QUICK_TO_COMPILE}
    $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow> $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>)  # "text" + string once more (GCC bug 105651)
  target_compile_definitions(${name}_test PRIVATE
    KANE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" KANE_BINARY_DIR="${CMAKE_BINARY_DIR}"
    KANE_COMMAND="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/kane")
  if(KANE_SANITIZE)
    target_compile_definitions(${name}_test PRIVATE KANE_SANITIZED)
  endif()
  target_include_directories(${name}_test PRIVATE "${PROJECT_SOURCE_DIR}")
  list(TRANSFORM ARG_LINKS PREPEND "Kane::" OUTPUT_VARIABLE links)
  target_link_libraries(${name}_test PRIVATE ${links} ${ARG_EXTERNAL} GTest::gtest GTest::gtest_main)
  list(LENGTH sources count)
  if(count GREATER 3 AND NOT KANE_UNITY)
    # GoogleTest is most of the cost of a small test file. The library itself has no precompiled header, so that
    # every file of it includes what it uses.
    target_precompile_headers(${name}_test PRIVATE <gtest/gtest.h> ${KANE_COMMON_HEADERS})
  endif()
  gtest_discover_tests(${name}_test DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 600 ENVIRONMENT "RC_PARAMS=seed=20240229")
endfunction()
