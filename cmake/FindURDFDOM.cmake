# The parser of URDF files, which Debian ships without a CMake package of its own. Gives URDFDOM::model.
find_path(URDFDOM_INCLUDE_DIR urdf_parser/urdf_parser.h)
find_library(URDFDOM_MODEL_LIBRARY urdfdom_model)
find_library(URDFDOM_CONSOLE_LIBRARY console_bridge)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(URDFDOM
  REQUIRED_VARS URDFDOM_MODEL_LIBRARY URDFDOM_CONSOLE_LIBRARY URDFDOM_INCLUDE_DIR)
if(URDFDOM_FOUND AND NOT TARGET URDFDOM::model)
  add_library(URDFDOM::model UNKNOWN IMPORTED)
  set_target_properties(URDFDOM::model PROPERTIES IMPORTED_LOCATION "${URDFDOM_MODEL_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${URDFDOM_INCLUDE_DIR}" INTERFACE_LINK_LIBRARIES "${URDFDOM_CONSOLE_LIBRARY}")
endif()
mark_as_advanced(URDFDOM_INCLUDE_DIR URDFDOM_MODEL_LIBRARY URDFDOM_CONSOLE_LIBRARY)
