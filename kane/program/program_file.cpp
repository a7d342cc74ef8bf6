#include "kane/program/program_file.hpp"

#include <array>
#include <bit>
#include <fstream>
#include <iterator>
#include <limits>

#include "kane/base/error.hpp"
#include "kane/base/output_file.hpp"
#include "kane/program/check_program.hpp"
#include "kane/program/reorder.hpp"

namespace kane {

namespace {

constexpr std::string_view kMagic = "KANEPROG";
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kStrict = 1;  // flag

constexpr std::array<std::uint32_t, 256> make_checksum_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = (c & 1U) != 0 ? 0xedb88320U ^ (c >> 1U) : c >> 1U;
    table[i] = c;
  }
  return table;
}

class Writer {
 public:
  void number(std::uint64_t n) {
    for (; n >= 0x80; n >>= 7U) bytes_ += static_cast<char>(n | 0x80U);
    bytes_ += static_cast<char>(n);
  }
  void text(std::string_view s) {
    number(s.size());
    bytes_ += s;
  }
  void raw(std::string_view s) { bytes_ += s; }
  void fixed(std::uint64_t n, int width) {
    for (int i = 0; i < width; ++i) bytes_ += static_cast<char>(n >> (8 * i));
  }
  [[nodiscard]] std::string& bytes() { return bytes_; }

 private:
  std::string bytes_;
};

/// Reads bytes that may be anything.
class Reader {
 public:
  Reader(std::string_view bytes, std::string_view source) : bytes_(bytes), source_(source) {}

  [[noreturn]] void fail(std::string_view what) const {
    throw ModelError(fmt::format("{}: damaged program file: {} at byte {}", source_, what, at_));
  }

  std::uint32_t number() {
    std::uint64_t n = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(next());
      n |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if (byte < 0x80) {
        if (n > std::numeric_limits<std::uint32_t>::max()) break;
        return static_cast<std::uint32_t>(n);
      }
    }
    fail("a number that is too large");
  }

  /// A number of things that take at least `width` bytes each.
  std::uint32_t count(std::uint32_t width = 1) {
    const std::uint32_t n = number();
    if (std::uint64_t{n} * width > left()) fail("more items announced than the file holds");
    return n;
  }

  std::string text() {
    const std::uint32_t n = count();
    std::string s(bytes_.substr(at_, n));
    at_ += n;
    return s;
  }

  std::uint64_t fixed(int width) {
    std::uint64_t n = 0;
    for (int i = 0; i < width; ++i) n |= std::uint64_t{static_cast<std::uint8_t>(next())} << (8 * i);
    return n;
  }

  char next() {
    if (left() == 0) fail("unexpected end");
    return bytes_[at_++];
  }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }

 private:
  std::string_view bytes_;
  std::string_view source_;
  std::size_t at_ = 0;
};

void write_instruction(Writer& out, const Program& p, std::uint32_t index) {
  const Instruction& i = p.instructions[index];
  const ValueId own = p.first_temporary() + index;
  out.fixed(static_cast<std::uint64_t>(i.code), 1);
  if (i.code == Code::Call) out.number(i.a);
  visit_values(p, i, [&](ValueId id) { out.number(own - id); });
  if (i.code == Code::Root) out.number(i.b);
}

Instruction read_instruction(Reader& in, Program& p, ValueId own) {
  const auto code = static_cast<std::uint8_t>(in.next());
  if (code >= kCodeCount) in.fail("an unknown opcode");
  const auto operand = [&] {
    const std::uint32_t distance = in.number();
    if (distance == 0 || distance > own) in.fail("an operand out of range");
    return own - distance;
  };
  Instruction i{static_cast<Code>(code)};
  if (i.code == Code::Call) {
    i.a = in.number();
    if (i.a >= p.functions.size()) in.fail("an unknown function");
    i.b = static_cast<ValueId>(p.call_arguments.size());
    for (int k = 0; k < p.functions[i.a].arity; ++k) p.call_arguments.push_back(operand());
    return i;
  }
  visit_operands(i, [&](ValueId& id) { id = operand(); });
  if (i.code == Code::Root) i.b = in.number();
  return i;
}

void read_inputs(Reader& in, Program& p) {
  for (std::size_t s = 0; s < kStageCount; ++s) {
    p.input_count[s] = in.count();
    for (std::uint32_t i = 0; i < p.input_count[s]; ++i) p.inputs.push_back({in.text(), static_cast<Stage>(s)});
  }
}

void read_body(Reader& in, Program& p) {
  p.name = in.text();
  p.strict = (in.number() & kStrict) != 0;
  read_inputs(in, p);
  p.constants.resize(in.count(8));
  for (double& c : p.constants) c = std::bit_cast<double>(in.fixed(8));
  p.functions.resize(in.count(2));
  for (ProgramFunction& f : p.functions) {
    f.name = in.text();
    const std::uint32_t arity = in.number();
    if (arity > in.left()) in.fail("a function of too many arguments");
    f.arity = static_cast<int>(arity);
  }
  for (std::uint32_t& end : p.stage_end) end = in.count();
  p.instructions.reserve(p.stage_end[2]);
  for (std::uint32_t i = 0; i < p.stage_end[2]; ++i)
    p.instructions.push_back(read_instruction(in, p, p.first_temporary() + i));
  p.outputs.resize(in.count(2));
  for (ProgramOutput& o : p.outputs) {
    o.name = in.text();
    o.value = in.number();
  }
  if (in.left() != 0) in.fail("data after the end");
}

}  // namespace

std::uint32_t calc_checksum(std::string_view bytes) {
  static constexpr std::array<std::uint32_t, 256> kTable = make_checksum_table();
  std::uint32_t c = 0xffffffffU;
  for (const char byte : bytes) c = kTable[(c ^ static_cast<std::uint8_t>(byte)) & 0xffU] ^ (c >> 8U);
  return c ^ 0xffffffffU;
}

std::string write_program(const Program& p) {
  Writer out;
  out.raw(kMagic);
  out.number(kVersion);
  out.text(p.name);
  out.number(p.strict ? kStrict : 0);
  for (std::size_t s = 0, next = 0; s < kStageCount; ++s) {
    out.number(p.input_count[s]);
    for (std::uint32_t i = 0; i < p.input_count[s]; ++i) out.text(p.inputs[next++].name);
  }
  out.number(p.constants.size());
  for (const double c : p.constants) out.fixed(std::bit_cast<std::uint64_t>(c), 8);
  out.number(p.functions.size());
  for (const ProgramFunction& f : p.functions) {
    out.text(f.name);
    out.number(static_cast<std::uint64_t>(f.arity));
  }
  for (const std::uint32_t end : p.stage_end) out.number(end);
  for (std::uint32_t i = 0; i < p.instructions.size(); ++i) write_instruction(out, p, i);
  out.number(p.outputs.size());
  for (const ProgramOutput& o : p.outputs) {
    out.text(o.name);
    out.number(o.value);
  }
  out.fixed(calc_checksum(out.bytes()), 4);
  return std::move(out.bytes());
}

Program read_program(std::string_view bytes, std::string_view source) {
  require(bytes.size() > kMagic.size() + 4 && bytes.substr(0, kMagic.size()) == kMagic, "{}: not a program file",
          source);
  Reader tail(bytes.substr(bytes.size() - 4), source);
  bytes.remove_suffix(4);
  require(tail.fixed(4) == calc_checksum(bytes), "{}: damaged program file: the checksum does not match", source);
  Reader in(bytes.substr(kMagic.size()), source);
  const std::uint32_t version = in.number();
  require(version == kVersion, "{}: a program file of version {}; this build reads version {}", source, version,
          kVersion);
  Program p;
  read_body(in, p);
  try {
    check_program(p);
  } catch (const ModelError& e) {
    throw ModelError(fmt::format("{}: damaged program file: {}", source, e.message()));
  }
  return p;
}

void save_program(const Program& program, const std::filesystem::path& file) {
  write_file(file.string(), write_program(program));
}

Program load_program(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  require(in.good(), "cannot open the program file '{}'", file.string());
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return read_program(bytes, file.string());
}

}  // namespace kane
