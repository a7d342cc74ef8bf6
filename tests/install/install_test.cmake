# Installs BUILD, moves the result (it must not remember where it was), and builds and runs consumer/ against it.

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${result}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/first")
file(RENAME "${WORK}/first" "${WORK}/prefix")

# Nothing that was installed may speak of the folders it came from.
file(GLOB package_files "${WORK}/prefix/${LIBDIR}/cmake/Kane/*.cmake")
if(NOT package_files)
  message(FATAL_ERROR "no package files were installed below ${LIBDIR}/cmake/Kane")
endif()
foreach(file ${package_files})
  file(READ "${file}" text)
  foreach(folder "${BUILD}" "${SOURCE}/" "${WORK}/first")
    string(FIND "${text}" "${folder}" place)
    if(NOT place EQUAL -1)
      message(FATAL_ERROR "${file} names ${folder}")
    endif()
  endforeach()
endforeach()

# Headers keep their paths.
file(GLOB_RECURSE sources RELATIVE "${SOURCE}" "${SOURCE}/kane/*.hpp")
foreach(header ${sources})
  if(NOT EXISTS "${WORK}/prefix/include/${header}")
    message(FATAL_ERROR "${header} was not installed")
  endif()
endforeach()

foreach(file bash-completion/completions/kane zsh/site-functions/_kane fish/vendor_completions.d/kane.fish
             kane/models/planar2r.yaml kane/schema/kane.schema.json)
  file(SIZE "${WORK}/prefix/share/${file}" size)
  if(size LESS 100)
    message(FATAL_ERROR "share/${file} was not installed")
  endif()
endforeach()

set(consumer "${CMAKE_CURRENT_LIST_DIR}/consumer")
run("${CMAKE_COMMAND}" -S "${consumer}" -B "${WORK}/consumer" -G "${GENERATOR}" -DCMAKE_BUILD_TYPE=Debug
  "-DCMAKE_PREFIX_PATH=${WORK}/prefix" "-DCMAKE_CXX_COMPILER=${COMPILER}")
run("${CMAKE_COMMAND}" --build "${WORK}/consumer")
run("${WORK}/consumer/consumer")
if(NOT output STREQUAL "3*x^2\n1\n")
  message(FATAL_ERROR "the consumer printed\n${output}")
endif()
run("${WORK}/consumer/everything")
run("${WORK}/prefix/bin/kane" --version)
