# kane_embed_text(<target> <header> NAME=file ...): text files as constants of a header that the build writes, so that
# pages can be edited as what they are. Each NAME becomes `inline constexpr std::string_view NAME` in namespace kane.
#
# Run as a script (cmake -P) it writes the header; see the end.
if(CMAKE_SCRIPT_MODE_FILE)
  string(CONCAT text "#pragma once\n// Written by cmake/EmbedText.cmake; edit the files it names.\n\n#include <string_view>\n\n#ifdef __clang__\n"
    "#pragma clang diagnostic ignored \"-Woverlength-strings\"\n#endif\n\nnamespace kane {\n")
  string(REPLACE "|" ";" entries "${ENTRIES}")
  foreach(entry IN LISTS entries)
    string(REGEX MATCH "^([A-Za-z0-9]+)=(.*)$" matched "${entry}")
    file(READ "${CMAKE_MATCH_2}" content HEX)
    string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${content}")
    string(REGEX REPLACE "^([A-Za-z0-9]+)=.*$" "\\1" name "${entry}")
    get_filename_component(file "${entry}" NAME)
    string(APPEND text "\n/// ${file}\ninline constexpr char ${name}Bytes[] = \"${bytes}\";\n"
      "inline constexpr std::string_view ${name}{${name}Bytes, sizeof(${name}Bytes) - 1};\n")
  endforeach()
  string(APPEND text "\n}  // namespace kane\n")
  file(WRITE "${OUTPUT}" "${text}")
  return()
endif()

set(KANE_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

function(kane_embed_text target header)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/embedded/${header}")
  set(files)
  foreach(entry IN LISTS ARGN)
    string(REGEX REPLACE "^[A-Za-z0-9]+=" "" file "${entry}")
    list(APPEND files "${file}")
    if(file MATCHES "^${KANE_PAGE_FOLDER}/")
      list(APPEND files kane_page)
    endif()
  endforeach()
  string(REPLACE ";" "|" entries "${ARGN}")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DENTRIES=${entries}" "-DOUTPUT=${output}" -P "${KANE_EMBED_SCRIPT}"
    DEPENDS ${files} "${KANE_EMBED_SCRIPT}"
    VERBATIM COMMENT "Embedding ${header}")
  target_sources(${target} PRIVATE "${output}")
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/embedded")
endfunction()
