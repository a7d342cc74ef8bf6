#include "kane/codegen/emit/emit_listing.hpp"

#include <algorithm>
#include <cmath>

#include "kane/program/reorder.hpp"

namespace kane {

namespace {

/// A value used once is written where it is used, unless its text is longer than this.
constexpr std::size_t kMaxInline = 64;
constexpr std::uint32_t kNone = 0xffffffffU;

struct Text {
  std::string text;
  Binding binding = Binding::Atom;
};

class Lister {
 public:
  Lister(const Program& p, const Dialect& dialect, const SourceNames& names, std::uint32_t part_length)
      : p_(p),
        dialect_(dialect),
        names_(names),
        part_length_(std::max(part_length, 1U)),
        part_(p.instructions.size()),
        uses_(p.value_count(), 0),
        slot_(p.value_count(), kNone),
        texts_(p.instructions.size()),
        outputs_of_(p.instructions.size()) {}

  SourceListing run() {
    number_parts();
    find_stored();
    for (const Stage stage : kStages) list_stage(stage);
    list_other_outputs();
    return std::move(listing_);
  }

 private:
  [[nodiscard]] bool is_temporary(ValueId id) const { return id >= p_.first_temporary(); }
  [[nodiscard]] std::uint32_t index(ValueId id) const { return id - p_.first_temporary(); }

  /// Parts are numbered through all stages; every stage has at least one.
  void number_parts() {
    std::uint32_t next = 0;
    for (const Stage stage : kStages) {
      const std::uint32_t begin = p_.stage_begin(stage), end = p_.stage_end[stage];
      for (std::uint32_t i = begin; i < end; ++i) part_[i] = next + (i - begin) / part_length_;
      const std::uint32_t count = end == begin ? 1 : (end - begin - 1) / part_length_ + 1;
      listing_.parts[stage].resize(count);
      next += count;
    }
    last_part_ = next - 1;
  }

  /// Values needed by another part than their own are kept in the workspace.
  void find_stored() {
    const auto use = [&](ValueId id, std::uint32_t part) {
      ++uses_[id];
      if (is_temporary(id) && part_[index(id)] != part && slot_[id] == kNone) slot_[id] = listing_.stored++;
    };
    for (std::uint32_t i = 0; i < p_.instructions.size(); ++i)
      visit_values(p_, p_.instructions[i], [&](ValueId id) { use(id, part_[i]); });
    for (std::uint32_t k = 0; k < p_.outputs.size(); ++k) {
      const ValueId id = p_.outputs[k].value;
      if (is_temporary(id) && index(id) >= p_.stage_begin(Stage::State)) {
        use(id, part_[index(id)]);
        outputs_of_[index(id)].push_back(k);
      } else {
        use(id, last_part_);
      }
    }
  }

  void list_stage(Stage stage) {
    std::vector<SourcePart>& parts = listing_.parts[stage];
    const std::uint32_t begin = p_.stage_begin(stage);
    for (std::uint32_t i = begin; i < p_.stage_end[stage]; ++i) {
      current_ = &parts[(i - begin) / part_length_];
      list_instruction(i);
    }
    for (SourcePart& part : parts) tidy(part);
  }

  void list_instruction(std::uint32_t i) {
    const ValueId own = p_.first_temporary() + i;
    listing_.uses[p_.instructions[i].code] = true;
    Text text = write(p_.instructions[i]);
    const bool is_output = !outputs_of_[i].empty();
    if (slot_[own] == kNone && uses_[own] == 1 && !is_output && text.text.size() <= kMaxInline) {
      texts_[i] = std::move(text);
      return;
    }
    if (slot_[own] != kNone) {
      statement(dialect_.assign, stored(slot_[own]), text.text);
      texts_[i] = {stored(slot_[own]), Binding::Atom};
    } else if (is_output && uses_[own] == 1) {
      texts_[i] = std::move(text);
    } else {
      std::string name = fill(dialect_.temporary, {{'n', names_.temporary}, {'i', std::to_string(++named_)}});
      statement(dialect_.declare, name, text.text);
      current_->locals.push_back(name);
      texts_[i] = {std::move(name), Binding::Atom};
    }
    for (const std::uint32_t k : outputs_of_[i]) output(k, texts_[i].text);
  }

  /// Outputs that are inputs, constants or known from an earlier stage.
  void list_other_outputs() {
    current_ = &listing_.parts[Stage::State].back();
    for (std::uint32_t k = 0; k < p_.outputs.size(); ++k) {
      const ValueId id = p_.outputs[k].value;
      if (!is_temporary(id) || index(id) < p_.stage_begin(Stage::State)) output(k, operand(id).text);
    }
    tidy(*current_);
  }

  void statement(std::string_view form, std::string_view name, std::string_view expression) {
    current_->statements.push_back(fill(form, {{'n', name}, {'e', expression}}));
  }

  void output(std::uint32_t k, std::string_view expression) {
    const std::string place = std::to_string(k + dialect_.first_index);
    statement(dialect_.assign, fill(dialect_.output, {{'i', place}, {'n', names_.outputs[k]}}), expression);
  }

  [[nodiscard]] std::string stored(std::uint32_t slot) const {
    return fill(dialect_.stored, {{'i', std::to_string(slot + dialect_.first_index)}});
  }

  Text operand(ValueId id) {
    if (id < p_.first_constant()) {
      current_->inputs.push_back(id);
      return {names_.inputs[id], Binding::Atom};
    }
    if (!is_temporary(id)) {
      const double value = p_.constants[id - p_.first_constant()];
      return {spell_number(dialect_, value), std::signbit(value) ? Binding::Sum : Binding::Atom};
    }
    return texts_[index(id)];
  }

  std::string bound(ValueId id, Binding needed) {
    Text t = operand(id);
    return t.binding < needed ? "(" + t.text + ")" : std::move(t.text);
  }

  Text write(const Instruction& i) {
    if (i.code == Code::Call) {
      std::string arguments;
      visit_values(p_, i, [&](ValueId id) { arguments += (arguments.empty() ? "" : ", ") + operand(id).text; });
      current_->functions.push_back(i.a);
      return {fill(dialect_.call, {{'f', names_.functions[i.a]}, {'e', arguments}}), Binding::Atom};
    }
    const Spelling& form = dialect_.spellings[i.code];
    const int count = info(i.code).operands;
    const std::string a = bound(i.a, form.needs[0]);
    const std::string b = count > 1 ? bound(i.b, form.needs[1]) : std::string();
    const std::string c = count > 2 ? bound(i.c, form.needs[2]) : std::string();
    return {fill(form.text, {{'a', a}, {'b', b}, {'c', c}, {'n', std::to_string(i.b)}}), form.binding};
  }

  static void tidy(SourcePart& part) {
    for (auto* list : {&part.inputs, &part.functions}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
  }

  const Program& p_;
  const Dialect& dialect_;
  const SourceNames& names_;
  std::uint32_t part_length_;
  std::vector<std::uint32_t> part_;
  std::vector<std::uint32_t> uses_;
  std::vector<std::uint32_t> slot_;
  std::vector<Text> texts_;
  std::vector<std::vector<std::uint32_t>> outputs_of_;
  SourceListing listing_;
  SourcePart* current_ = nullptr;
  std::uint32_t last_part_ = 0;
  std::uint32_t named_ = 0;
};

}  // namespace

SourceNames choose_names(const Program& p, const Dialect& dialect, std::string_view name) {
  NameTable table(dialect.naming);
  SourceNames names;
  // Other names are made of this one, and must not become too long for any language.
  names.program = table.add((name.empty() ? std::string_view(p.name) : name).substr(0, 32));
  const std::string prefix = names.program + "_";
  const auto add = [&](NameTable& to, const std::string& wanted) {
    return to.add(identifier_of(wanted).compare(0, prefix.size(), prefix) == 0 ? "of_" + wanted : wanted);
  };
  for (const ProgramFunction& f : p.functions) names.functions.push_back(add(table, f.name));
  for (const ProgramInput& i : p.inputs) names.inputs.push_back(add(table, i.name));
  // Outputs name places only, so they may be called like inputs.
  NameTable places(dialect.naming);
  for (const ProgramOutput& o : p.outputs) names.outputs.push_back(add(places, o.name));
  names.temporary = "z";
  while (table.has_numbered(names.temporary)) names.temporary += "z";
  return names;
}

SourceListing make_listing(const Program& program, const Dialect& dialect, const SourceNames& names,
                           std::uint32_t part_length) {
  return Lister(program, dialect, names, part_length).run();
}

}  // namespace kane
