#include "kane/server/served_page.hpp"

#include <string>
#include <workbench_assets.hpp>  // written by the build from web/ and schema/

namespace kane {

namespace {

/// What a program says that was built without Node.js.
constexpr std::string_view kNoPage =
    "<!doctype html><title>Kane</title><p>This program was built without its page, because Node.js and npm were "
    "missing. "
    "Install them and build it again. Other programs can use this server, by the protocol of docs/protocol.md.</p>\n";

}  // namespace

bool has_page() { return !kWorkbenchJs.empty(); }

std::optional<PageFile> find_page_file(std::string_view name) {
  if (name.empty()) return PageFile{"text/html; charset=utf-8", has_page() ? kWorkbenchHtml : kNoPage};
  if (name == "workbench.css") return PageFile{"text/css; charset=utf-8", kWorkbenchCss};
  if (name == "workbench.js") return PageFile{"text/javascript; charset=utf-8", kWorkbenchJs};
  if (name == "schema.json") return PageFile{"application/json", kSchemaJson};
  return std::nullopt;
}

}  // namespace kane
