# kane_module(NAME LINKS <kane modules it may include> EXTERNAL <imported targets>)
#
# Makes the static library kane_NAME (alias Kane::NAME) of all sources in the module's folder. LINKS is the list
# of allowed arrows; scripts/check_arrows.py checks the includes against the same lists.
include_guard()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

find_program(KANE_CCACHE ccache)
if(KANE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${KANE_CCACHE}")
endif()

set(KANE_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Werror)
# Contraction changes results between builds; only generated kernels contract, and only on request.
set(KANE_COMPILE_OPTIONS ${KANE_WARNINGS} -ffp-contract=off)

function(kane_module name)
  cmake_parse_arguments(ARG "" "" "LINKS;EXTERNAL;PRIVATE_EXTERNAL" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  file(GLOB headers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.hpp")
  add_library(kane_${name} STATIC ${sources} ${headers})
  add_library(Kane::${name} ALIAS kane_${name})
  set_target_properties(kane_${name} PROPERTIES EXPORT_NAME ${name} LINKER_LANGUAGE CXX)
  target_compile_features(kane_${name} PUBLIC cxx_std_20)
  target_include_directories(kane_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)
  target_compile_options(kane_${name} PRIVATE ${KANE_COMPILE_OPTIONS})
  foreach(link ${ARG_LINKS})
    target_link_libraries(kane_${name} PUBLIC Kane::${link})
  endforeach()
  target_link_libraries(kane_${name} PUBLIC ${ARG_EXTERNAL} PRIVATE ${ARG_PRIVATE_EXTERNAL})
  set_property(GLOBAL APPEND PROPERTY KANE_MODULES kane_${name})
endfunction()

# kane_test(NAME LINKS <kane modules> EXTERNAL <targets>): one test program of all sources in the folder.
function(kane_test name)
  cmake_parse_arguments(ARG "" "" "LINKS;EXTERNAL" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  add_executable(${name}_test ${sources})
  target_compile_options(${name}_test PRIVATE ${KANE_COMPILE_OPTIONS})
  target_compile_definitions(${name}_test PRIVATE
    KANE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" KANE_BINARY_DIR="${CMAKE_BINARY_DIR}")
  foreach(link ${ARG_LINKS})
    target_link_libraries(${name}_test PRIVATE Kane::${link})
  endforeach()
  target_link_libraries(${name}_test PRIVATE ${ARG_EXTERNAL} GTest::gtest GTest::gtest_main)
  gtest_discover_tests(${name}_test DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600)
endfunction()
