#pragma once
// XML text, checked before and after tinyxml2 parses it: a limit on its size, no document types or entities (which could
// name other files or grow without bound), and the line and column of every element for messages.

#include <tinyxml2.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kane/base/error.hpp"

namespace kane {

class XmlDocument {
 public:
  /// `format` ("URDF") and `root` ("robot") are for messages. Throws ModelError with the place, or LimitError.
  XmlDocument(std::string_view text, std::string file_name, std::size_t max_bytes, std::string_view format,
              std::string_view root);
  XmlDocument(const XmlDocument&) = delete;
  XmlDocument& operator=(const XmlDocument&) = delete;

  [[nodiscard]] tinyxml2::XMLDocument& document() { return document_; }
  [[nodiscard]] tinyxml2::XMLElement& root() { return *document_.RootElement(); }
  [[nodiscard]] Where where(const tinyxml2::XMLElement& element) const;

 private:
  void parse(std::size_t max_bytes, std::string_view format, std::string_view root);
  [[nodiscard]] Where where(std::size_t at) const;
  [[nodiscard]] Where first_in_line(int line) const;
  void find_columns(const tinyxml2::XMLElement& element, std::size_t& place);

  std::string_view text_;  ///< only while parsing
  std::string file_name_;
  tinyxml2::XMLDocument document_;
  std::vector<std::size_t> line_starts_;
  std::unordered_map<const tinyxml2::XMLElement*, int> columns_;
};

}  // namespace kane
