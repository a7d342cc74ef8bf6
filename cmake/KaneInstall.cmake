# Installs the command, the libraries with their headers under the same folder paths, and what find_package(Kane)
# needs. Included after all modules have been added.
include_guard()
include(CMakePackageConfigHelpers)

get_property(modules GLOBAL PROPERTY KANE_MODULES)
get_property(packages GLOBAL PROPERTY KANE_PACKAGES)
list(REMOVE_DUPLICATES packages)

# Kane::kane: everything.
add_library(kane_all INTERFACE)
add_library(Kane::kane ALIAS kane_all)
set_target_properties(kane_all PROPERTIES EXPORT_NAME kane)
foreach(module ${modules})
  string(REGEX REPLACE "^kane_" "Kane::" module "${module}")
  target_link_libraries(kane_all INTERFACE ${module})
endforeach()

# Everything `make build` and `make install` need, without tests and benchmarks.
add_custom_target(product DEPENDS ${modules})
if(TARGET kane)
  add_dependencies(product kane)
  install(TARGETS kane RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT command)
  install(TARGETS kane_array_files LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/kane" COMPONENT command)
  if(TARGET kane_mpi_ranks)
    install(TARGETS kane_mpi_ranks LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/kane" COMPONENT command)
  endif()
  # Completion scripts, written by the command itself, where the shells look for them.
  foreach(row "bash|bash-completion/completions/kane" "zsh|zsh/site-functions/_kane" "fish|fish/vendor_completions.d/kane.fish")
    string(REPLACE "|" ";" row "${row}")
    list(GET row 0 shell)
    list(GET row 1 file)
    install(CODE "
      set(file \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/${file}\")
      get_filename_component(folder \"\${file}\" DIRECTORY)
      file(MAKE_DIRECTORY \"\${folder}\")
      execute_process(COMMAND \"$<TARGET_FILE:kane>\" completion ${shell} OUTPUT_FILE \"\${file}\" RESULT_VARIABLE result)
      if(NOT result EQUAL 0)
        message(FATAL_ERROR \"kane completion ${shell} failed\")
      endif()" COMPONENT command)
  endforeach()
endif()

# The command and programs that link the library load it.
add_dependencies(product kane_shape_distances)
install(TARGETS kane_shape_distances LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/kane" COMPONENT command)
install(TARGETS kane_shape_distances LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/kane/library" COMPONENT library)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Kane")
install(TARGETS ${modules} kane_all EXPORT KaneTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library)
install(EXPORT KaneTargets NAMESPACE Kane:: DESTINATION "${package_dir}" COMPONENT library)
# Headers: the public ones and what they include, found when they are installed.
install(CODE "
  set(PROJECT_SOURCE_DIR \"${PROJECT_SOURCE_DIR}\")
  include(\"${PROJECT_SOURCE_DIR}/cmake/KanePublicHeaders.cmake\")
  kane_header_closure(headers)
  foreach(header \${headers})
    get_filename_component(folder \"\${header}\" DIRECTORY)
    file(INSTALL \"${PROJECT_SOURCE_DIR}/\${header}\"
      DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/\${folder}\")
  endforeach()" COMPONENT library)

list(TRANSFORM packages REPLACE "(.+)" "find_dependency(\\1)" OUTPUT_VARIABLE KANE_DEPENDENCIES)
list(JOIN KANE_DEPENDENCIES "\n" KANE_DEPENDENCIES)
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/KaneConfig.cmake.in" "${CMAKE_BINARY_DIR}/KaneConfig.cmake"
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/KaneConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/KaneConfig.cmake" "${CMAKE_BINARY_DIR}/KaneConfigVersion.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/FindGMP.cmake" "${CMAKE_CURRENT_LIST_DIR}/FindURDFDOM.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/FindLIBZIP.cmake" DESTINATION "${package_dir}" COMPONENT library)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/models" "${PROJECT_SOURCE_DIR}/schema"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/kane" COMPONENT command FILES_MATCHING PATTERN "*.yaml" PATTERN "*.json")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT command)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/kane-doc"
  COMPONENT documentation EXCLUDE_FROM_ALL FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.html")
install(FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${PROJECT_SOURCE_DIR}/CITATION.cff"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/kane-doc" COMPONENT documentation EXCLUDE_FROM_ALL)
if(IS_DIRECTORY "${PROJECT_SOURCE_DIR}/build/site")  # what `make docs` wrote, if it was run
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/build/site/" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/kane-doc/html"
    COMPONENT documentation EXCLUDE_FROM_ALL)
endif()
