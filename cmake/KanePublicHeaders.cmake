# The headers that are installed: those of public_headers.txt, which users may include, and whatever these include.
include_guard()
cmake_policy(VERSION 3.25)  # also where it runs at install time

# kane_public_headers(RESULT): the list, one path a line; '#' begins a comment.
function(kane_public_headers result)
  file(STRINGS "${PROJECT_SOURCE_DIR}/cmake/public_headers.txt" headers REGEX "^kane/")
  set(${result} ${headers} PARENT_SCOPE)
endfunction()

# kane_header_closure(RESULT): the public headers and all they include, directly or through others.
function(kane_header_closure result)
  kane_public_headers(waiting)
  set(known ${waiting})
  # Every round takes one header from the list, and none comes twice; so this ends.
  while(waiting)
    list(POP_FRONT waiting header)
    file(STRINGS "${PROJECT_SOURCE_DIR}/${header}" includes REGEX "^#include \"kane/")
    foreach(include ${includes})
      string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" include "${include}")
      if(NOT include IN_LIST known)
        list(APPEND known "${include}")
        list(APPEND waiting "${include}")
      endif()
    endforeach()
  endwhile()
  list(SORT known)
  set(${result} ${known} PARENT_SCOPE)
endfunction()
