#pragma once
// The files of the workbench's page, which the program has in it.

#include <optional>
#include <string_view>

namespace kane {

struct PageFile {
  std::string_view type;  ///< as in Content-Type
  std::string_view content;
};

/// A file of the page by its name; "": the page itself. Nothing if there is no such file.
[[nodiscard]] std::optional<PageFile> find_page_file(std::string_view name);
/// Whether the program was built with its page (scripts/build_page.sh).
[[nodiscard]] bool has_page();

}  // namespace kane
