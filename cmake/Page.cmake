# The pages of the browser: TypeScript of web/, bundled by scripts/build_page.sh into KANE_PAGE_FOLDER. Bundles are empty
# where Node.js is missing; the program then says so when a page is asked for.
set(KANE_PAGE_FOLDER "${PROJECT_BINARY_DIR}/web/out")
set(web "${PROJECT_SOURCE_DIR}/web")
file(GLOB sources CONFIGURE_DEPENDS "${web}/src/*.ts" "${web}/src/*.css")
set(bundles)
foreach(name workbench.js workbench.css live.js live.css kernel.mjs)
  list(APPEND bundles "${KANE_PAGE_FOLDER}/${name}")
endforeach()
add_custom_command(OUTPUT ${bundles}
  COMMAND "${PROJECT_SOURCE_DIR}/scripts/build_page.sh" "${web}" "${PROJECT_BINARY_DIR}/web"
  DEPENDS ${sources} "${web}/package.json" "${web}/package-lock.json" "${web}/.npmrc" "${web}/build.mjs"
    "${PROJECT_SOURCE_DIR}/scripts/build_page.sh"
  VERBATIM COMMENT "Bundling the pages")
add_custom_target(kane_page DEPENDS ${bundles})
