#include "apps/kane/matlab_file.hpp"

#include <bit>
#include <cctype>
#include <cstdint>
#include <set>

#include "kane/base/error.hpp"
#include "kane/base/output_mark.hpp"

namespace kane {

namespace {

static_assert(std::endian::native == std::endian::little, "the file says that it is little-endian");

// Kinds of elements and of arrays (tables 1-1 and 1-3 of the description of the format).
enum Element : std::uint32_t { kInt8 = 1, kUint16 = 4, kInt32 = 5, kUint32 = 6, kDouble = 9, kMatrix = 14 };
constexpr std::uint32_t kStructArray = 2, kCharArray = 4, kDoubleArray = 6;
constexpr std::size_t kLongestName = 63;

/// Names of MATLAB variables are letters, digits and _, beginning with a letter; at most 63 of them.
std::string matlab_name(const std::string& name) {
  std::string r;
  for (const char c : name) r += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? c : '_';
  if (r.empty() || std::isalpha(static_cast<unsigned char>(r.front())) == 0) r = "x" + r;
  return r.substr(0, kLongestName);
}

/// As matlab_name(), but no two the same: u1' and u1_ would be one variable.
std::vector<std::string> matlab_names(const std::vector<std::string>& names) {
  std::vector<std::string> all;
  std::set<std::string> taken;
  for (const auto& name : names) {
    std::string own = matlab_name(name);
    for (int k = 2; !taken.insert(own).second; ++k) own = matlab_name(name).substr(0, 56) + "_" + std::to_string(k);
    all.push_back(own);
  }
  return all;
}

void add_bytes(std::string& to, const void* from, std::size_t size) { to.append(static_cast<const char*>(from), size); }

void add_tag(std::string& to, Element kind, std::uint32_t size) {
  const std::uint32_t tag[] = {kind, size};
  add_bytes(to, tag, sizeof tag);
}

void pad(std::string& to) { to.resize((to.size() + 7) / 8 * 8, '\0'); }

/// The head of an array, after the tag with its size.
std::string array_head(std::uint32_t kind, std::uint32_t rows, std::uint32_t columns, const std::string& name) {
  std::string head;
  add_tag(head, kUint32, 8);
  const std::uint32_t flags[] = {kind, 0}, shape[] = {rows, columns};
  add_bytes(head, flags, sizeof flags);
  add_tag(head, kInt32, 8);
  add_bytes(head, shape, sizeof shape);
  add_tag(head, kInt8, static_cast<std::uint32_t>(name.size()));
  head += name;
  pad(head);
  return head;
}

std::string whole_array(const std::string& content) {
  std::string array;
  add_tag(array, kMatrix, static_cast<std::uint32_t>(content.size()));
  return array + content;
}

/// Everything of a column but its numbers.
std::string column_head(const std::string& name, std::size_t size) {
  const auto rows = static_cast<std::uint32_t>(size);
  std::string content = array_head(kDoubleArray, rows, 1, name);
  add_tag(content, kDouble, 8 * rows);
  std::string head;
  add_tag(head, kMatrix, static_cast<std::uint32_t>(content.size()) + 8 * rows);
  return head + content;
}

std::string char_array(const std::string& name, const std::string& text) {
  const auto letters = static_cast<std::uint32_t>(text.size());
  std::string content = array_head(kCharArray, letters == 0 ? 0 : 1, letters, name);
  add_tag(content, kUint16, 2 * letters);
  for (const char c : text) {
    const std::uint16_t letter = static_cast<unsigned char>(c) < 128 ? static_cast<std::uint16_t>(c) : '?';
    add_bytes(content, &letter, sizeof letter);
  }
  pad(content);
  return whole_array(content);
}

/// A structure with a text in each field.
std::string text_struct(const std::string& name, const std::vector<std::string>& fields,
                        const std::vector<std::string>& texts) {
  std::string content = array_head(kStructArray, 1, 1, name);
  const std::uint32_t length[] = {(4U << 16U) | kInt32,
                                  kLongestName + 1};  // a small element: size and kind in one word
  add_bytes(content, length, sizeof length);
  add_tag(content, kInt8, static_cast<std::uint32_t>((kLongestName + 1) * fields.size()));
  for (const std::string& field : fields) content += field + std::string(kLongestName + 1 - field.size(), '\0');
  for (const std::string& text : texts) content += char_array("", text);
  return whole_array(content);
}

}  // namespace

void form_matlab(const ArrayColumns& columns, const ByteSink& sink) {
  constexpr std::size_t kTextSize = 116, kMostNumbers = 1U << 28U;
  std::string head = "MATLAB 5.0 MAT-file, " + std::string(kOutputWords);
  head.resize(kTextSize, ' ');
  head += std::string(8, '\0') + std::string("\0\x01IM", 4);  // no subsystem, version 0x0100, little-endian
  sink(head.data(), head.size());
  std::vector<std::string> all = columns.names;
  all.insert(all.end(), {"model", "units"});
  std::vector<std::string> names = matlab_names(all);
  const std::string units = names.back(), model = names[names.size() - 2];
  names.resize(columns.names.size());
  for (const auto& [name, text] : columns.attributes) {
    if (name != "model") continue;
    const std::string array = char_array(model, text);
    sink(array.data(), array.size());
  }
  if (columns.units.size() == names.size()) {
    const std::string array = text_struct(units, names, columns.units);
    sink(array.data(), array.size());
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& values = columns.values[i];
    require(values.size() < kMostNumbers,
            "a MATLAB file holds fewer than {} numbers per column; write a .csv or .h5 file", kMostNumbers);
    const std::string before = column_head(names[i], values.size());
    sink(before.data(), before.size());
    sink(values.data(), values.size() * sizeof(double));
  }
}

}  // namespace kane
