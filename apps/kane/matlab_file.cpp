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
enum Element : std::uint32_t { kInt8 = 1, kInt32 = 5, kUint32 = 6, kDouble = 9, kMatrix = 14 };
constexpr std::uint32_t kDoubleArray = 6;

/// Names of MATLAB variables are letters, digits and _, beginning with a letter; at most 63 of them.
std::string matlab_name(const std::string& name) {
  constexpr std::size_t kLongest = 63;
  std::string r;
  for (const char c : name) r += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? c : '_';
  if (r.empty() || std::isalpha(static_cast<unsigned char>(r.front())) == 0) r = "x" + r;
  return r.substr(0, kLongest);
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

/// Everything of a column but its numbers.
std::string column_head(const std::string& name, std::size_t size) {
  const auto rows = static_cast<std::uint32_t>(size), letters = static_cast<std::uint32_t>(name.size());
  const std::uint32_t padded = (letters + 7) / 8 * 8;
  std::string head;
  add_tag(head, kMatrix, 16 + 16 + 8 + padded + 8 + 8 * rows);
  add_tag(head, kUint32, 8);
  const std::uint32_t flags[] = {kDoubleArray, 0}, shape[] = {rows, 1};
  add_bytes(head, flags, sizeof flags);
  add_tag(head, kInt32, 8);
  add_bytes(head, shape, sizeof shape);
  add_tag(head, kInt8, letters);
  head += name + std::string(padded - letters, '\0');
  add_tag(head, kDouble, 8 * rows);
  return head;
}

}  // namespace

void form_matlab(const ArrayColumns& columns, const ByteSink& sink) {
  constexpr std::size_t kTextSize = 116, kMostNumbers = 1U << 28U;
  std::string head = "MATLAB 5.0 MAT-file, " + std::string(kOutputWords);
  head.resize(kTextSize, ' ');
  head += std::string(8, '\0') + std::string("\0\x01IM", 4);  // no subsystem, version 0x0100, little-endian
  sink(head.data(), head.size());
  const std::vector<std::string> names = matlab_names(columns.names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& values = columns.values[i];
    require(values.size() < kMostNumbers,
            "a MATLAB file holds less than {} numbers per column; write a .csv or .h5 file", kMostNumbers);
    const std::string before = column_head(names[i], values.size());
    sink(before.data(), before.size());
    sink(values.data(), values.size() * sizeof(double));
  }
}

}  // namespace kane
