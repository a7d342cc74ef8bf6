#include "kane/export/sdfast_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "kane/base/vec3.hpp"
#include "kane/export/export_plan.hpp"
#include "kane/export/sdfast_roadmap.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanism/copy_mechanism.hpp"
#include "kane/mechanism/lowering.hpp"

namespace kane {

namespace {

/// One row of the constraint equations: `d` a direction fixed in the inboard body along which the hinge points coincide,
/// `r` a pair of perpendicular lines, `p` a prescribed degree of freedom.
struct SdfastRow {
  char kind = 'd';
  int dof = 0, loop = 0;
  Vec3 a, b;
};

std::string c_number(double x) {
  std::string text = fmt::format("{}", x);
  return text.find_first_of(".en") == std::string::npos ? text + "." : text;
}
std::string c_vector(const Vec3& v) {
  return fmt::format("{{{}, {}, {}}}", c_number(v.x), c_number(v.y), c_number(v.z));
}
std::string c_matrix(const Mat3& m) {
  return fmt::format("{{{}, {}, {}}}", c_vector(m[0]), c_vector(m[1]), c_vector(m[2]));
}

/// `type name[size] = {...};` with one entry behind the last, since C has no arrays without entries.
std::string c_array(std::string_view type, std::string_view name, std::string_view shape,
                    const std::vector<std::string>& entries, std::string_view nothing = "0") {
  std::string text =
      fmt::format("static {} {}[{}]{} = {{", type, name, std::max<std::size_t>(entries.size(), 1), shape);
  for (std::size_t i = 0; i < entries.size(); ++i)
    text += (i == 0 ? "" : shape.empty() ? ", " : ",\n    ") + entries[i];
  return text + (entries.empty() ? std::string(nothing) : "") + "};\n";
}
template <class T>
std::vector<std::string> c_texts(const std::vector<T>& list) {
  std::vector<std::string> texts;
  for (const T& x : list) texts.push_back(fmt::format("{}", x));
  return texts;
}

class SdfastEmitter {
 public:
  SdfastEmitter(const Mechanism& m, std::string name, const SdfastCode& code)
      : m_(m), map_(form_sdfast_roadmap(m)), name_(std::move(name)), code_(code) {
    if (name_.empty()) name_ = m.name;
    for (const auto& p : m.parameters) values_[p.symbol.name()] = evaluate(p.value, values_);
    values_["t"] = 0;
  }

  SdfastExport run() {
    check_supported();
    read_bodies();
    read_prescribed();
    for (std::size_t l = 0; l < map_.loops.size(); ++l) read_loop(l);
    SdfastExport result;
    result.notes = find_left_out(m_);
    result.notes.insert(result.notes.end(), notes_.begin(), notes_.end());
    const std::string include = fmt::format(
        "#include <math.h>\n#include <stdio.h>\n#include <string.h>\n\n#include \"{}.h\"\n\n#define NB SD_NB\n#define "
        "NU "
        "SD_NU\n#define NQ SD_NQ\n#define NL SD_NL\n",
        name_);
    // The rows of prescribed motions and loops; the program's own stand behind them.
    const std::string own_rows = "#define NX SD_NX\n#define NC (SD_NC - SD_NX)\n#define NT SD_NC\n\n";
    const std::string all_rows = "#define NC SD_NC\n\n";
    result.files.push_back({name_ + ".h", header()});
    result.files.push_back({name_ + "_dyn.c", fmt::format("{}{}{}{}\n{}{}", banner("dynamics"), include, own_rows,
                                                          tables(), sdfast_dynamics(), sdfast_dynamics_interface())});
    result.files.push_back({name_ + "_sar.c", fmt::format("{}{}{}#define NV_ (NU > 0 ? 2*NU : 1)\n\n{}",
                                                          banner("analyses"), include, all_rows, sdfast_analyses())});
    result.files.push_back(
        {name_ + "_lib.c", banner("utilities") + include + all_rows + std::string(sdfast_library())});
    result.files.push_back({name_ + "_info.txt", to_text(map_, m_)});
    result.files.push_back({"README.md", readme(result.notes)});
    if (code_.prefix != "sd")
      for (SourceFile& file : result.files) file.text = with_prefix(file.text);
    return result;
  }

 private:
  /// The names of the interface are words that begin with "sd" in small letters.
  [[nodiscard]] std::string with_prefix(const std::string& text) const {
    const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    const auto names = std::string(sdfast_prototypes());
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
      std::size_t end = i;
      while (end < text.size() && word(text[end])) ++end;
      if (end == i) {
        result += text[i++];
        continue;
      }
      const std::string name = text.substr(i, end - i);
      const bool function = name.size() > 2 && name.starts_with("sd") &&
                            (names.find(" " + name + "(") != std::string::npos ||
                             names.find("*" + name + ")") != std::string::npos || name == "sdfunc_");
      result += function ? code_.prefix + name.substr(2) : name;
      i = end;
    }
    return result;
  }

  // ---- numbers ------------------------------------------------------------------------------------------------------------
  double number(const Expr& e, std::string_view what, const Where& where) const {
    for (const Expr& s : symbols_of(std::span<const Expr>(&e, 1)))
      if (!values_.contains(s.name()) || s.name() == "t")
        throw ModelError(where,
                         fmt::format("{} depends on '{}'; in the form of SD/FAST it must be constant", what, s.name()));
    return evaluate(e, values_);
  }
  Vec3 vector(const Expr3& v, std::string_view what, const Where& where) const {
    return {number(v[0], what, where), number(v[1], what, where), number(v[2], what, where)};
  }
  Mat3 matrix(const Expr33& m, std::string_view what, const Where& where) const {
    return {{vector(m[0], what, where), vector(m[1], what, where), vector(m[2], what, where)}};
  }
  [[nodiscard]] const MechanismBody& body(std::string_view name) const { return *m_.find_body(name); }
  /// In SD/FAST all vectors start at the mass centre.
  Vec3 from_centre(const std::string& on, const Expr3& position, const Where& where) const {
    const Vec3 at = vector(position, "the place of a joint", where);
    return on == m_.ground ? at : at - vector(body(on).mass_centre, "a mass centre", where);
  }

  // ---- parts that the interface cannot represent --------------------------------------------------------------------------
  void check_supported() {
    const auto refuse = [](const Where& where, const std::string& what) {
      throw ModelError(
          where,
          fmt::format("{} cannot be exported in the form of SD/FAST; programs give such loads in sduforce", what));
    };
    for (const Load& load : m_.loads)
      if (!is_hinge_torque(load)) refuse(load.where, fmt::format("the load '{}'", load.name));
    for (const Joint& joint : m_.joints) {
      if (!joint.rotation_from.empty())
        refuse(joint.where, fmt::format("the joint '{}' with rotations from another body", joint.name));
      for (const ElementaryMotion& motion : joint.motions) {
        const AxisLaw& law = motion.law;
        if (motion.kind == MotionKind::Screw) refuse(joint.where, fmt::format("the screw joint '{}'", joint.name));
        if (!law.law.empty()) refuse(joint.where, fmt::format("the law of the joint '{}'", joint.name));
      }
    }
    if (!m_.particles.empty())
      refuse(m_.particles.front().where, fmt::format("the particle '{}'", m_.particles.front().name));
    if (!m_.speeds.empty()) refuse(m_.where, "a choice of speeds");
    if (!m_.states.empty()) refuse(m_.states.front().where, fmt::format("the state '{}'", m_.states.front().name));
    if (!m_.extra_coordinates.empty()) refuse(m_.where, "a coordinate without a joint");
    for (const Constraint& c : m_.constraints)
      if (!prescribed_dof(c))
        throw ModelError(
            c.where,
            fmt::format("the constraint '{}' cannot be exported in the form of SD/FAST: only loops closed by joints "
                        "and prescribed coordinates are",
                        c.name));
  }

  /// The reader of SD/FAST files writes the torques of a ball as such a load: the inputs of sdhinget.
  static bool is_hinge_torque(const Load& load) {
    const auto* torque = std::get_if<TorqueLoad>(&load.what);
    return torque != nullptr && torque->torque.text.starts_with("tau") && load.name.ends_with("_torque");
  }

  // ---- bodies and joints --------------------------------------------------------------------------------------------------
  void read_bodies() {
    int next = 0;
    for (auto* list : {&spring_, &rest_, &damper_}) list->assign(map_.u.size(), 0);
    for (const SdfastBodyRow& b : map_.bodies) {
      const MechanismBody& given = body(b.name);
      const Joint& joint = m_.joints[b.at];
      mass_.push_back(c_number(number(given.mass, "the mass", given.where)));
      iner_.push_back(c_matrix(matrix(given.inertia, "the inertia", given.where)));
      inb_.push_back(b.inboard);
      type_.push_back(b.type_number);
      ndof_.push_back(static_cast<int>(b.axes.size()));
      first_.push_back(b.axes.empty() ? next : b.axes.front());
      next = first_.back() + ndof_.back();
      q4_.push_back(b.fourth_index);
      itj_.push_back(c_vector(from_centre(joint.parent, joint.on_parent.position, joint.where)));
      btj_.push_back(c_vector(from_centre(joint.child, joint.on_child.position, joint.where)));
      rin_.push_back(c_matrix(matrix(joint.on_parent.rotation, "the joint", joint.where)));
      rout_.push_back(c_matrix(transposed(matrix(joint.on_child.rotation, "the joint", joint.where))));
      add_motions(joint, first_.back());
    }
    mfirst_.push_back(static_cast<int>(mkind_.size()));
    moves_.resize(map_.bodies.size());
    for (std::size_t k = 0; k < map_.bodies.size(); ++k) {
      std::vector<int> row(map_.u.size(), 0);
      int at = static_cast<int>(k);
      for (std::size_t step = 0; at >= 0 && step <= map_.bodies.size(); ++step) {
        for (const int r : map_.bodies[static_cast<std::size_t>(at)].axes) row[static_cast<std::size_t>(r)] = 1;
        at = map_.bodies[static_cast<std::size_t>(at)].inboard;
      }
      moves_[k] = fmt::format("{{{}}}", row.empty() ? "0" : fmt::format("{}", fmt::join(row, ", ")));
    }
  }

  void add_motions(const Joint& joint, int dof) {
    mfirst_.push_back(static_cast<int>(mkind_.size()));
    int ball = -1;
    std::vector<Vec3> pins;
    for (const ElementaryMotion& motion : joint.motions) {
      const bool is_ball = motion.kind == MotionKind::Ball;
      mkind_.emplace_back(is_ball ? "'b'" : motion.kind == MotionKind::Translation ? "'t'" : "'r'");
      mdof_.push_back(motion.free ? dof : -1);
      if (is_ball) ball = dof;
      if (motion.free && !is_ball) {
        spring_[static_cast<std::size_t>(dof)] = number(motion.law.stiffness, "a stiffness", joint.where);
        rest_[static_cast<std::size_t>(dof)] = number(motion.law.rest, "the rest of a spring", joint.where);
        damper_[static_cast<std::size_t>(dof)] = number(motion.law.damping, "a damping", joint.where);
      }
      if (motion.free) dof += is_ball ? 3 : 1;
      mvalue_.push_back(c_number(motion.free ? 0 : number(motion.value, "a held coordinate", joint.where)));
      const Vec3 axis = is_ball ? Vec3{0, 0, 1} : vector(motion.axis, "an axis", joint.where);
      pin_.push_back(c_vector(axis));
      mpin_.push_back(is_ball ? -1 : pin_number(joint, axis, pins));
    }
    bfirst_.push_back(ball);
  }

  /// Motions along the same line share a pin, as in a cylinder joint, and in planar, bearing and bushing joints.
  static int pin_number(const Joint& joint, const Vec3& axis, std::vector<Vec3>& pins) {
    const bool shares = joint.motions.size() == 2 || joint.motions.size() >= 4;
    if (shares)
      for (std::size_t i = 0; i < pins.size(); ++i)
        if (pins[i] == axis) return static_cast<int>(i);
    pins.push_back(axis);
    return static_cast<int>(pins.size()) - 1;
  }

  // ---- constraints --------------------------------------------------------------------------------------------------------
  /// Index into u of the coordinate or speed that a constraint "q3 - pos3" prescribes.
  [[nodiscard]] std::optional<std::size_t> prescribed_dof(const Constraint& c) const {
    const auto* rows = std::get_if<ExpressionConstraint>(&c.what);
    if (rows == nullptr || rows->configuration.size() + rows->motion.size() != 1) return std::nullopt;
    const std::string& text = (rows->configuration.empty() ? rows->motion : rows->configuration).front().text;
    const std::size_t minus = text.find(" - ");
    if (minus == std::string::npos) return std::nullopt;
    const std::string name = text.substr(0, minus), input = text.substr(minus + 3);
    const bool given =
        std::any_of(m_.inputs.begin(), m_.inputs.end(), [&](const auto& i) { return i.symbol.name() == input; });
    if (!given) return std::nullopt;
    for (std::size_t i = 0; i < map_.axes.size(); ++i)
      if (map_.axes[i].coordinate == name || map_.axes[i].speed == name) return i;
    return std::nullopt;
  }

  void read_prescribed() {
    can_.assign(map_.u.size(), 0);
    pres_.assign(map_.u.size(), 0);
    for (const Constraint& c : m_.constraints) {
      const std::size_t r = *prescribed_dof(c);
      can_[r] = 1;
      pres_[r] = c.active ? 1 : 0;
      rows_.push_back({'p', static_cast<int>(r), 0, {}, {}});
    }
  }

  /// Rows of a loop joint, in axes of its inboard side: translations that are not free, then lines that stay perpendicular.
  void read_loop(std::size_t l) {
    const SdfastLoopRow& loop = map_.loops[l];
    const Joint& joint = m_.joints[loop.at];
    const Mat3 in = matrix(joint.on_parent.rotation, "a loop joint", joint.where);
    const Mat3 out = matrix(joint.on_child.rotation, "a loop joint", joint.where);
    litj_.push_back(c_vector(from_centre(joint.parent, joint.on_parent.position, joint.where)));
    lbtj_.push_back(c_vector(from_centre(joint.child, joint.on_child.position, joint.where)));
    linb_.push_back(loop.inboard);
    lout_.push_back(loop.outboard);
    std::array<bool, 3> slides{};
    std::vector<Vec3> turns;
    bool ball = false;
    for (const ElementaryMotion& motion : joint.motions) {
      if (motion.kind == MotionKind::Ball) {
        ball = true;
        continue;
      }
      const Vec3 axis = unit(vector(motion.axis, "an axis of a loop joint", joint.where));
      if (motion.kind == MotionKind::Rotation) {
        turns.push_back(axis);
        continue;
      }
      bool found = false;
      for (std::size_t k = 0; k < 3; ++k)
        if (std::abs(axis[k]) > 1 - 1e-12) slides[k] = found = true;
      if (!found || !turns.empty())
        throw ModelError(joint.where, "this loop joint cannot be exported in the form of SD/FAST");
    }
    for (std::size_t k = 0; k < 3; ++k)
      if (!slides[k]) rows_.push_back({'d', 0, static_cast<int>(l), in.column(k), {}});
    if (!ball) add_turn_rows(static_cast<int>(l), in, out, turns, joint.where);
  }

  void add_turn_rows(int l, const Mat3& in, const Mat3& out, const std::vector<Vec3>& turns, const Where& where) {
    const auto perpendicular = [&](const Vec3& a, const Vec3& b) { rows_.push_back({'r', 0, l, in * a, out * b}); };
    if (turns.empty()) {
      for (std::size_t k = 0; k < 3; ++k) {
        Vec3 a, b;
        a[k] = b[(k + 1) % 3] = 1;
        perpendicular(a, b);
      }
    } else if (turns.size() == 1) {
      const Vec3 x = across(turns[0]);
      perpendicular(x, turns[0]);
      perpendicular(cross(turns[0], x), turns[0]);
    } else if (turns.size() == 2) {
      perpendicular(turns[0], turns[1]);
    } else {
      throw ModelError(where, "this loop joint cannot be exported in the form of SD/FAST");
    }
  }

  // ---- text ---------------------------------------------------------------------------------------------------------------
  [[nodiscard]] std::string banner(std::string_view what) const {
    return fmt::format("/* {}: {} in the form of SD/FAST. Bodies and joints count from 0; the ground is -1. */\n\n",
                       m_.name, what);
  }

  [[nodiscard]] std::string header() const {
    return fmt::format(
        "{0}#ifndef KANE_SDFAST_{1}\n#define KANE_SDFAST_{1}\n\n#include <stdio.h>\n\n"
        "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
        "/* bodies, speeds, coordinates, loop joints, constraints */\n"
        "#define SD_NB {2}\n#define SD_NU {3}\n#define SD_NQ {4}\n#define SD_NL {5}\n#define SD_NC {6}\n"
        "/* user constraints, the last of the constraints */\n#define SD_NX {8}\n\n{7}\n"
        "#ifdef __cplusplus\n}}\n#endif\n#endif\n",
        banner("declarations"), plain(name_), map_.bodies.size(), map_.u.size(), map_.q.size(), map_.loops.size(),
        static_cast<int>(rows_.size()) + code_.user_constraints, sdfast_prototypes(), code_.user_constraints);
  }
  static std::string plain(std::string text) {
    for (char& c : text)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    return text;
  }

  [[nodiscard]] std::string tables() const {
    std::vector<int> slides;
    for (const SdfastAxis& a : map_.axes) slides.push_back(a.rotation ? 0 : 1);
    std::vector<std::string> kind, a, b;
    std::vector<int> dof, loop;
    for (const SdfastRow& r : rows_) {
      kind.push_back(fmt::format("'{}'", r.kind));
      dof.push_back(r.dof);
      loop.push_back(r.loop);
      a.push_back(c_vector(r.a));
      b.push_back(c_vector(r.b));
    }
    const auto ints = [](const std::vector<int>& v) { return c_texts(v); };
    std::string text = "/* bodies and the joints inboard of them */\n";
    text += fmt::format("static double grav[3] = {};\n", c_vector(gravity()));
    text += c_array("double", "mass", "", mass_) + c_array("double", "iner", "[3][3]", iner_);
    text += c_array("double", "itj", "[3]", itj_) + c_array("double", "btj", "[3]", btj_);
    text += c_array("double", "rin", "[3][3]", rin_) + c_array("double", "rout", "[3][3]", rout_);
    text += c_array("const int", "inb", "", ints(inb_)) + c_array("const int", "jtype", "", ints(type_));
    text += c_array("const int", "ndof", "", ints(ndof_)) + c_array("const int", "firstu", "", ints(first_));
    text += "/* of balls: index of the fourth Euler parameter, and of the first */\n";
    text += c_array("const int", "bq4", "", ints(q4_)) + c_array("const int", "bfirst", "", ints(bfirst_));
    text += "/* motions of the joints: r rotation, t translation, b ball; -1 and a value for those that are held */\n";
    text += c_array("const int", "mfirst", "", ints(mfirst_)) + c_array("const char", "mkind", "", mkind_);
    text += c_array("const int", "mdof", "", ints(mdof_)) + c_array("const double", "mvalue", "", mvalue_);
    text += c_array("double", "pin", "[3]", pin_, "{0}") + c_array("const int", "mpin", "", ints(mpin_));
    text += "/* which speeds move which body; which are displacements; which may be prescribed, which are */\n";
    text += c_array("const char", "moves", fmt::format("[{}]", std::max<std::size_t>(map_.u.size(), 1)), moves_, "{0}");
    text += c_array("const int", "slides", "", ints(slides)) + c_array("const int", "canpres", "", ints(can_)) +
            c_array("int", "pres", "", ints(pres_));
    text += "/* springs: stiffness and the coordinate where it is slack; dampers */\n";
    text += c_array("const double", "spring", "", c_numbers(spring_)) +
            c_array("const double", "rest", "", c_numbers(rest_)) +
            c_array("const double", "damper", "", c_numbers(damper_));
    text += "/* loop joints, and the rows of all constraints: p prescribed, d direction, r perpendicular lines */\n";
    text += c_array("const int", "linb", "", ints(linb_)) + c_array("const int", "lout", "", ints(lout_)) +
            c_array("const int", "ltype", "", ltype_texts());
    text += c_array("double", "litj", "[3]", litj_, "{0}") + c_array("double", "lbtj", "[3]", lbtj_, "{0}");
    text += c_array("const char", "ckind", "", kind) + c_array("const int", "cdof", "", ints(dof)) +
            c_array("const int", "cloop", "", ints(loop));
    text += c_array("const double", "ca", "[3]", a, "{0}") + c_array("const double", "cb", "[3]", b, "{0}");
    return text;
  }

  static std::vector<std::string> c_numbers(const std::vector<double>& list) {
    std::vector<std::string> texts;
    for (const double x : list) texts.push_back(c_number(x));
    return texts;
  }

  [[nodiscard]] std::vector<std::string> ltype_texts() const {
    std::vector<std::string> numbers;
    for (const SdfastLoopRow& l : map_.loops) numbers.push_back(fmt::format("{}", l.type_number));
    return numbers;
  }

  /// g_x*N.x + ...: components along the axes of the ground.
  [[nodiscard]] Vec3 gravity() const {
    if (m_.gravity.empty()) return {};
    const Mechanism copy = copy_mechanism(m_);
    const LoweredMechanism lowered = lower_mechanism(copy);
    const System& s = lowered.system;
    const Vector g = s.express(s.uniform_gravity().front().acceleration, s.inertial());
    return g.terms().empty() ? Vec3{} : vector(g.terms().front().c, "gravity", m_.gravity.where);
  }

  [[nodiscard]] std::string readme(const std::vector<std::string>& notes) const {
    std::string text = fmt::format(
        "# {0} in the form of SD/FAST\n\n"
        "Programs written for the C code of SD/FAST link against these files:\n\n"
        "    cc -O2 main.c {1}_dyn.c {1}_sar.c {1}_lib.c -lm\n\n"
        "`{1}_sar.c` (sdassemble, sdinitvel, sdstatic, sdsteady, sdmotion, sdfmotion) calls `sduforce` and "
        "`sdumotion`, which the\n"
        "program must contain; leave that file out if it calls none of these. `{1}_info.txt` has the roadmap and the "
        "map of the\n"
        "state. `{1}.h` declares everything; programs that declare the functions themselves do not need it.\n\n"
        "State: {2} coordinates, {3} speeds, {4} constraints (prescribed motions, then loops). Points of a body are "
        "given from its\n"
        "mass centre in its axes, like the loads of sdpointf and sdbodyt. sdpos, sdvel and sdacc are in axes of the "
        "ground,\n"
        "sdangvel and sdangacc in those of the body; sdorient maps components in the body to components in the ground. "
        "sdreac is\n"
        "the force and torque of the inboard on the outboard body at the outboard hinge point in axes of the outboard "
        "body, with the\n"
        "hinge torques. M u' + A' mult = f.\n\n"
        "Every number may be changed at run time (sdmass, sdiner, sdbtj, sditj, sdpin, sdgrav), not only those marked "
        "with `?`;\n"
        "sdinit must follow. The numbers of errors and routines (sderror) are this code's own; sdprinterr explains "
        "them. Loop\n"
        "joints have no pseudo-coordinates. sdroot and sdlsslv are not provided.\n",
        m_.name, name_, map_.q.size(), map_.u.size(), static_cast<int>(rows_.size()) + code_.user_constraints);
    if (code_.user_constraints > 0)
      text += fmt::format(
          "\nThe last {} constraints are the program's own: it must contain sduperr, sduverr, sduaerr (errors of "
          "position, velocity\nand acceleration) and sduconsfrc, which applies the loads for given multipliers.\n",
          code_.user_constraints);
    for (const std::string& note : notes) text += fmt::format("\nNote: {}.\n", note);
    return text;
  }

  const Mechanism& m_;
  SdfastRoadmap map_;
  std::string name_;
  SdfastCode code_;
  Values values_;
  std::vector<std::string> notes_;
  std::vector<std::string> mass_, iner_, itj_, btj_, rin_, rout_, mkind_, mvalue_, pin_, moves_, litj_, lbtj_;
  std::vector<int> inb_, type_, ndof_, first_, q4_, bfirst_, mfirst_, mdof_, mpin_, can_, pres_, linb_, lout_;
  std::vector<double> spring_, rest_, damper_;
  std::vector<SdfastRow> rows_;
};

}  // namespace

SdfastExport export_sdfast(const Mechanism& mechanism, const std::string& name, const SdfastCode& code) {
  return SdfastEmitter(mechanism, name, code).run();
}

}  // namespace kane
