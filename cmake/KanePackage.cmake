# Debian packages by CPack: `make package`. Included after everything that is installed.
include_guard()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME kane)
set(CPACK_PACKAGE_VENDOR "the Kane authors")
set(CPACK_PACKAGE_CONTACT "the Kane authors <kane@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_HOMEPAGE_URL "")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_STRIP_FILES ON)

# One package for each component.
set(CPACK_COMPONENTS_ALL command library documentation)
if(TARGET kane_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME kane)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "kane-doc, python3-kane, gcc | c-compiler")
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "Multibody dynamics by Kane's method: the command
 Derives, evaluates, simulates and exports models of mechanisms.")

# A static library needs the development files of what it is linked with: the section [build] of scripts/packages.txt.
file(STRINGS "${PROJECT_SOURCE_DIR}/scripts/packages.txt" lines)
set(section "")
set(development)
foreach(line ${lines})
  if(line MATCHES "^\\[(.+)\\]$")
    set(section "${CMAKE_MATCH_1}")
  elseif(section STREQUAL "build" AND line MATCHES "^(lib|nlohmann).*-dev$")
    list(APPEND development "${line}")
  endif()
endforeach()
list(JOIN development ", " development)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libkane-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "${development}")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Multibody dynamics by Kane's method: the C++ library
 Static libraries, headers, and what find_package(Kane) needs.")

set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_NAME kane-doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_COMPONENT_DOCUMENTATION_DESCRIPTION "Multibody dynamics by Kane's method: the documents")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-kane)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3, python3-numpy")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Multibody dynamics by Kane's method: the Python package")

include(CPack)
