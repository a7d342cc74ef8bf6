# libzip as the imported target LIBZIP::zip. (The configuration file that Debian installs with it wants programs that are
# in another package.)
find_path(LIBZIP_INCLUDE_DIR zip.h)
find_library(LIBZIP_LIBRARY zip)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LIBZIP REQUIRED_VARS LIBZIP_LIBRARY LIBZIP_INCLUDE_DIR)
if(LIBZIP_FOUND AND NOT TARGET LIBZIP::zip)
  add_library(LIBZIP::zip UNKNOWN IMPORTED)
  set_target_properties(LIBZIP::zip PROPERTIES
    IMPORTED_LOCATION "${LIBZIP_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${LIBZIP_INCLUDE_DIR}")
endif()
