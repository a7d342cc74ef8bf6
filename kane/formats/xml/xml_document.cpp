#include "kane/formats/xml/xml_document.hpp"

#include <algorithm>

#include "kane/formats/text_check.hpp"

namespace kane {

namespace {

std::string xml_problem(tinyxml2::XMLError error) {
  switch (error) {
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
      return "an element is not closed, or another one is closed in its place";
    case tinyxml2::XML_ERROR_PARSING_ELEMENT: return "an element is incomplete";
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE: return "an attribute is not of the form name=\"value\"";
    case tinyxml2::XML_ERROR_PARSING_TEXT: return "there is text where an element is expected, or a text is not closed";
    case tinyxml2::XML_ERROR_PARSING_COMMENT: return "a comment is not closed";
    default: return tinyxml2::XMLDocument::ErrorIDToName(error);
  }
}

}  // namespace

XmlDocument::XmlDocument(std::string_view text, std::string file_name, std::size_t max_bytes, std::string_view format,
                         std::string_view root)
    : text_(text), file_name_(std::move(file_name)) {
  parse(max_bytes, format, root);
  text_ = {};
}

Where XmlDocument::where(const tinyxml2::XMLElement& element) const {
  const auto column = columns_.find(&element);
  return {file_name_, element.GetLineNum(), column == columns_.end() ? 1 : column->second};
}

Where XmlDocument::where(std::size_t at) const {
  const auto line = std::upper_bound(line_starts_.begin(), line_starts_.end(), at) - line_starts_.begin();
  return {file_name_, static_cast<int>(line),
          static_cast<int>(at - line_starts_[static_cast<std::size_t>(line) - 1]) + 1};
}

/// The first character of a line that is not blank: tinyxml2 says no more about a mistake than its line.
Where XmlDocument::first_in_line(int line) const {
  if (line < 1 || static_cast<std::size_t>(line) > line_starts_.size()) return {file_name_, line, 1};
  const std::size_t at = text_.find_first_not_of(" \t\r", line_starts_[static_cast<std::size_t>(line) - 1]);
  return at == std::string_view::npos ? Where{file_name_, line, 1} : where(at);
}

void XmlDocument::parse(std::size_t max_bytes, std::string_view format, std::string_view root) {
  if (text_.size() > max_bytes)
    throw LimitError({file_name_},
                     fmt::format("the file is larger than {} bytes; this is the limit max_bytes", max_bytes));
  check_text(text_, file_name_);
  line_starts_.push_back(0);
  for (std::size_t i = text_.find('\n'); i != std::string_view::npos; i = text_.find('\n', i + 1))
    line_starts_.push_back(i + 1);
  for (const char* word : {"<!DOCTYPE", "<!ENTITY"})
    if (const std::size_t at = text_.find(word); at != std::string_view::npos)
      throw ModelError(where(at), fmt::format("document types and entities are not allowed in {} file",
                                              format == "MJCF" ? "an MJCF" : fmt::format("a {}", format)));
  document_.Parse(text_.data(), text_.size());
  if (document_.ErrorID() == tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED)
    throw LimitError({file_name_, document_.ErrorLineNum(), 1},
                     "elements are nested too deeply; this is the limit of the XML parser");
  if (document_.ErrorID() == tinyxml2::XML_ERROR_EMPTY_DOCUMENT ||
      (!document_.Error() && document_.RootElement() == nullptr))
    throw ModelError({file_name_}, fmt::format("the file has no <{}> element", root));
  if (document_.Error())
    throw ModelError(first_in_line(document_.ErrorLineNum()),
                     fmt::format("this is not well-formed XML: {}", xml_problem(document_.ErrorID())));
  std::size_t place = 0;
  find_columns(*document_.RootElement(), place);
  if (const auto* second = document_.RootElement()->NextSiblingElement(); second != nullptr) {
    find_columns(*second, place);
    throw ModelError(where(*second), fmt::format("the file ends with the <{}> element before, but another one follows",
                                                 document_.RootElement()->Name()));
  }
}

/// tinyxml2 knows the lines of elements. Their columns are found by searching for the tags in the order of the text.
void XmlDocument::find_columns(const tinyxml2::XMLElement& element, std::size_t& place) {
  const auto line = static_cast<std::size_t>(std::max(element.GetLineNum(), 1)) - 1;
  if (line < line_starts_.size()) {
    const std::size_t start = line_starts_[line];
    const std::size_t end = line + 1 < line_starts_.size() ? line_starts_[line + 1] : text_.size();
    const std::size_t found = text_.substr(0, end).find(std::string("<") + element.Name(), std::max(place, start));
    if (found != std::string_view::npos) {
      columns_[&element] = static_cast<int>(found - start) + 1;
      place = found + 1;
    }
  }
  for (const tinyxml2::XMLElement* e = element.FirstChildElement(); e != nullptr; e = e->NextSiblingElement())
    find_columns(*e, place);
}

}  // namespace kane
