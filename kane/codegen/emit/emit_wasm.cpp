#include "kane/codegen/emit/emit_wasm.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

#include "kane/base/error.hpp"
#include "kane/program/check_program.hpp"
#include "kane/program/code.hpp"

namespace kane {

namespace {

using Bytes = std::vector<std::uint8_t>;

// Opcodes (WebAssembly Core Specification 1.0, section 5.4).
constexpr std::uint8_t kEnd = 0x0b, kCall = 0x10, kSelect = 0x1b, kLocalGet = 0x20, kLocalSet = 0x21, kF64Load = 0x2b,
                       kF64Store = 0x39, kI32Const = 0x41, kF64Const = 0x44, kF64Eq = 0x61, kF64Ne = 0x62,
                       kF64Lt = 0x63, kF64Gt = 0x64, kF64Le = 0x65, kI32Or = 0x72, kF64Abs = 0x99, kF64Neg = 0x9a,
                       kF64Floor = 0x9c, kF64Sqrt = 0x9f, kF64Add = 0xa0, kF64Sub = 0xa1, kF64Mul = 0xa2,
                       kF64Div = 0xa3, kF64FromI32 = 0xb7;
constexpr std::uint8_t kTypeF64 = 0x7c, kTypeFunction = 0x60;

void put_unsigned(Bytes& to, std::uint64_t value) {
  do {
    const auto low = static_cast<std::uint8_t>(value & 0x7fU);
    value >>= 7U;
    to.push_back(value != 0 ? low | 0x80U : low);
  } while (value != 0);
}

void put_name(Bytes& to, std::string_view name) {
  put_unsigned(to, name.size());
  to.insert(to.end(), name.begin(), name.end());
}

void put_double(Bytes& to, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (unsigned k = 0; k < 8; ++k) to.push_back(static_cast<std::uint8_t>(bits >> (8 * k)));
}

void put_section(Bytes& to, std::uint8_t id, const Bytes& content) {
  to.push_back(id);
  put_unsigned(to, content.size());
  to.insert(to.end(), content.begin(), content.end());
}

/// Functions that WebAssembly has no instruction for.
struct Import {
  Code code;
  std::string_view name;
  int arity;
};
constexpr Import kImports[] = {{Code::Root, "pow", 2},  {Code::Sin, "sin", 1},     {Code::Cos, "cos", 1},
                               {Code::Tan, "tan", 1},   {Code::Asin, "asin", 1},   {Code::Acos, "acos", 1},
                               {Code::Atan, "atan", 1}, {Code::Atan2, "atan2", 2}, {Code::Sinh, "sinh", 1},
                               {Code::Cosh, "cosh", 1}, {Code::Tanh, "tanh", 1},   {Code::Exp, "exp", 1},
                               {Code::Log, "log", 1},   {Code::Mod, "mod", 2}};
// Types: 0 takes nothing and returns nothing; 1 and 2 take that many doubles and return one.
constexpr std::uint32_t kStageType = 0;

class WasmWriter {
 public:
  WasmWriter(const Program& program, std::uint32_t part_length) : p_(program) {
    cut_parts(part_length);
    place_values();
    for (const Import& import : kImports) {
      const bool used = std::any_of(p_.instructions.begin(), p_.instructions.end(),
                                    [&](const Instruction& i) { return i.code == import.code; });
      if (used) import_[at(import.code)] = imported_++, imports_.push_back(&import);
    }
  }

  WasmModule write() {
    std::vector<Bytes> bodies;
    for (const Part& part : parts_) bodies.push_back(part_body(part));
    const std::size_t first_stage = imported_ + bodies.size();
    for (const Stage stage : kStages) bodies.push_back(stage_body(stage));

    WasmModule module;
    module.first_output = first_output_;
    Bytes& out = module.bytes = {0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00};
    put_section(out, 1,
                {3, kTypeFunction, 0, 0, kTypeFunction, 1, kTypeF64, 1, kTypeF64, kTypeFunction, 2, kTypeF64, kTypeF64,
                 1, kTypeF64});
    Bytes content;
    put_unsigned(content, imports_.size());
    for (const Import* import : imports_) {
      put_name(content, "m"), put_name(content, import->name);
      content.push_back(0), put_unsigned(content, static_cast<std::uint64_t>(import->arity));
    }
    put_section(out, 2, content);
    content.clear();
    put_unsigned(content, bodies.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) put_unsigned(content, kStageType);
    put_section(out, 3, content);
    constexpr std::uint64_t kPage = 65536;
    content = {1, 0};
    put_unsigned(content, (8 * (first_output_ + p_.outputs.size()) + kPage - 1) / kPage);
    put_section(out, 5, content);
    content = {4};
    put_name(content, "memory"), content.push_back(2), content.push_back(0);
    for (const Stage stage : kStages) {
      static constexpr std::string_view kNames[] = {"p", "u", "x"};
      put_name(content, kNames[at(stage)]), content.push_back(0), put_unsigned(content, first_stage + at(stage));
    }
    put_section(out, 7, content);
    content.clear();
    put_unsigned(content, bodies.size());
    for (const Bytes& body : bodies) {
      put_unsigned(content, body.size());
      content.insert(content.end(), body.begin(), body.end());
    }
    put_section(out, 10, content);
    return module;
  }

 private:
  static constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();
  /// Instructions [begin, end) of one stage: one function.
  struct Part {
    Stage stage;
    std::uint32_t begin, end;
    bool writes_outputs;
  };

  void cut_parts(std::uint32_t part_length) {
    for (const Stage stage : kStages) {
      std::uint32_t begin = p_.stage_begin(stage);
      do {
        const std::uint32_t end = std::min(p_.stage_end[stage], begin + std::max(1U, part_length));
        parts_.push_back({stage, begin, end, stage == Stage::State && end == p_.stage_end[stage]});
        begin = end;
      } while (begin < p_.stage_end[stage]);
    }
  }

  template <class Visit>
  void visit_operands(const Instruction& i, Visit visit) const {
    const int count = i.code == Code::Root ? 1 : info(i.code).operands;
    const ValueId operands[] = {i.a, i.b, i.c};
    for (int k = 0; k < count; ++k) visit(operands[k]);
  }

  /// Results that another part reads have places in the memory, after the inputs.
  void place_values() {
    place_.assign(p_.instructions.size(), kNowhere);
    std::uint32_t next = p_.first_constant();
    std::uint32_t part = 0;
    const auto use = [&](ValueId value) {
      if (value < p_.first_temporary()) return;
      const std::uint32_t made = value - p_.first_temporary();
      if (made < parts_[part].begin && place_[made] == kNowhere) place_[made] = next++;
    };
    for (; part < parts_.size(); ++part) {
      for (std::uint32_t i = parts_[part].begin; i < parts_[part].end; ++i) visit_operands(p_.instructions[i], use);
      if (parts_[part].writes_outputs)
        for (const ProgramOutput& output : p_.outputs) use(output.value);
    }
    first_output_ = next;
  }

  // ---- code ------------------------------------------------------------------------------------------------------------
  void put_address(Bytes& to, std::uint32_t place, std::uint8_t access) const {
    to.push_back(access), to.push_back(3), put_unsigned(to, 8 * static_cast<std::uint64_t>(place));
  }
  void put_load(Bytes& to, std::uint32_t place) const {
    to.push_back(kI32Const), to.push_back(0), put_address(to, place, kF64Load);
  }
  void put_value(Bytes& to, ValueId value, const Part& part) const {
    if (value < p_.first_constant()) return put_load(to, value);
    if (value < p_.first_temporary()) {
      to.push_back(kF64Const);
      return put_double(to, p_.constants[value - p_.first_constant()]);
    }
    const std::uint32_t made = value - p_.first_temporary();
    if (made < part.begin) return put_load(to, place_[made]);
    to.push_back(kLocalGet), put_unsigned(to, made - part.begin);
  }

  [[nodiscard]] Bytes part_body(const Part& part) const {
    Bytes body;
    const std::uint32_t locals = part.end - part.begin;
    body.push_back(locals > 0 ? 1 : 0);
    if (locals > 0) put_unsigned(body, locals), body.push_back(kTypeF64);
    for (std::uint32_t i = part.begin; i < part.end; ++i) {
      put_instruction(body, p_.instructions[i], part);
      body.push_back(kLocalSet), put_unsigned(body, i - part.begin);
      if (place_[i] == kNowhere) continue;
      body.push_back(kI32Const), body.push_back(0);
      body.push_back(kLocalGet), put_unsigned(body, i - part.begin);
      put_address(body, place_[i], kF64Store);
    }
    for (std::uint32_t k = 0; part.writes_outputs && k < p_.outputs.size(); ++k) {
      body.push_back(kI32Const), body.push_back(0);
      put_value(body, p_.outputs[k].value, part);
      put_address(body, first_output_ + k, kF64Store);
    }
    body.push_back(kEnd);
    return body;
  }

  [[nodiscard]] Bytes stage_body(Stage stage) const {
    Bytes body{0};
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (parts_[i].stage == stage) body.push_back(kCall), put_unsigned(body, imported_ + i);
    body.push_back(kEnd);
    return body;
  }

  /// Leaves its value on the stack. The meaning is that of kane/program/meaning.hpp.
  void put_instruction(Bytes& to, const Instruction& i, const Part& part) const {
    const auto value = [&](ValueId v) { put_value(to, v, part); };
    const auto op = [&](std::uint8_t code) { to.push_back(code); };
    const auto number = [&](double v) { op(kF64Const), put_double(to, v); };
    const auto compare = [&](std::uint8_t code) { value(i.a), value(i.b), op(code), op(kF64FromI32); };
    const auto both = [&](std::uint8_t code) { value(i.a), value(i.b), op(code); };
    const auto one = [&](std::uint8_t code) { value(i.a), op(code); };
    // a if a < b (or a > b) or a is not a number, else b
    const auto least = [&](std::uint8_t code) {
      value(i.a), value(i.b);
      value(i.a), value(i.b), op(code), value(i.a), value(i.a), op(kF64Ne), op(kI32Or), op(kSelect);
    };
    switch (i.code) {
      case Code::Neg: one(kF64Neg); break;
      case Code::Add: both(kF64Add); break;
      case Code::Sub: both(kF64Sub); break;
      case Code::Mul: both(kF64Mul); break;
      case Code::Div: both(kF64Div); break;
      case Code::Sqrt: one(kF64Sqrt); break;
      case Code::Abs: one(kF64Abs); break;
      case Code::Floor: one(kF64Floor); break;
      case Code::Sign:
        number(1), number(-1), value(i.a), value(i.a), number(0), op(kF64Lt), op(kSelect);
        value(i.a), number(0), op(kF64Gt), op(kSelect);
        break;
      case Code::Min: least(kF64Lt); break;
      case Code::Max: least(kF64Gt); break;
      case Code::Less: compare(kF64Lt); break;
      case Code::LessEqual: compare(kF64Le); break;
      case Code::Equal: compare(kF64Eq); break;
      case Code::Select: value(i.b), value(i.c), value(i.a), number(0), op(kF64Ne), op(kSelect); break;
      case Code::Fma: both(kF64Mul), value(i.c), op(kF64Add); break;
      case Code::Fms: both(kF64Mul), value(i.c), op(kF64Sub); break;
      case Code::Fnma: value(i.c), both(kF64Mul), op(kF64Sub); break;
      case Code::Fnms: both(kF64Mul), op(kF64Neg), value(i.c), op(kF64Sub); break;
      case Code::Root: value(i.a), number(1.0 / static_cast<double>(i.b)), call(to, i.code); break;
      case Code::Atan2:
      case Code::Mod: value(i.a), value(i.b), call(to, i.code); break;
      default: value(i.a), call(to, i.code); break;
    }
  }
  void call(Bytes& to, Code code) const { to.push_back(kCall), put_unsigned(to, import_[at(code)]); }

  const Program& p_;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> place_;  ///< of results in the memory, in doubles; kNowhere: only in their part
  std::uint32_t first_output_ = 0;
  std::vector<const Import*> imports_;
  PerCode<std::uint32_t> import_{};
  std::uint32_t imported_ = 0;
};

}  // namespace

WasmModule emit_wasm(const Program& program, std::uint32_t part_length) {
  check_program(program);
  require(program.functions.empty(), "'{}' calls the function '{}', which a WebAssembly module cannot contain",
          program.name, program.functions.empty() ? std::string() : program.functions.front().name);
  return WasmWriter(program, part_length).write();
}

std::string_view wasm_imports_javascript() {
  return "{pow: Math.pow, sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin, acos: Math.acos, "
         "atan: Math.atan, atan2: Math.atan2, sinh: Math.sinh, cosh: Math.cosh, tanh: Math.tanh, exp: Math.exp, "
         "log: Math.log, mod: (a, b) => { const r = a % b; return r !== 0 && (r < 0) !== (b < 0) ? r + b : r; }}";
}

}  // namespace kane
