#include "kane/formats/sdfast/sdfast_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "kane/base/suggest.hpp"
#include "kane/base/vec3.hpp"
#include "kane/formats/import_names.hpp"
#include "kane/formats/yaml/yaml_tree.hpp"
#include "kane/mechanism/joint_library.hpp"

namespace kane {

namespace {

/// The motions of a joint from inboard to outboard. A letter is a motion (t slide, r angle, b ball), a digit its pin.
struct SdfastJointKind {
  std::string_view name;
  std::string_view motions;
  int pins;
  int number;  ///< as sdjnt() reports it
};
constexpr SdfastJointKind kKinds[] = {
    {"pin", "r1", 1, 1},
    {"slider", "t1", 1, 5},
    {"cylinder", "t1r1", 1, 7},
    {"ujoint", "r1r2", 2, 2},
    {"gimbal", "r1r2r3", 3, 3},
    {"ball", "b0", 0, 4},
    {"planar", "t1t2r3", 3, 8},
    {"rplanar", "r1t2t3", 3, 20},
    {"bearing", "t1r1r2r3", 3, 11},
    {"rbearing", "r1r2r3t3", 3, 23},
    {"bushing", "t1t2t3r1r2r3", 3, 10},
    {"rbushing", "r1r2r3t1t2t3", 3, 22},
    {"free", "t1t2t3b0", 3, 6},
    {"rfree", "b0t1t2t3", 3, 21},
    {"weld", "", 0, 9},
};
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
    {"1d", "pin"},        {"sliding", "slider"}, {"cylindrical", "cylinder"},
    {"u", "ujoint"},      {"u-joint", "ujoint"}, {"2d", "ujoint"},
    {"3d", "gimbal"},     {"6d", "free"},        {"sixdof", "free"},
    {"rsixdof", "rfree"},
};

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// The name of Kane's joint with these motions.
std::string kind_of(const std::vector<ElementaryMotion>& motions) {
  if (motions.empty()) return "weld";
  if (motions.size() > 1) return "general";
  return motions[0].kind == MotionKind::Rotation      ? "revolute"
         : motions[0].kind == MotionKind::Translation ? "prismatic"
                                                      : "spherical";
}

/// One paragraph of the file: a body of the tree, or a joint that closes a loop.
struct SdfastBody {
  std::string name, inboard;
  std::string joint_name;
  const SdfastJointKind* joint = nullptr;
  Where where, joint_where;
  std::optional<SdfastNumber> mass;
  std::vector<SdfastNumber> inertia, to_joint, inboard_to_joint;
  std::vector<std::vector<SdfastNumber>> pins, body_pins;
  std::vector<SdfastNumber> inboard_reference, body_reference;
  std::vector<SdfastNumber> prescribed;
  bool all_prescribed = false;
};

class SdfastBuilder {
 public:
  SdfastBuilder(std::vector<SdfastEntry> entries, const std::string& file_name, const SdfastLimits& limits)
      : entries_(std::move(entries)),
        limits_(limits),
        m_(std::filesystem::path(file_name).stem().string()),
        graph_(*m_.graph),
        names_({m_.ground}) {
    m_.name = plain_name(m_.name);
    m_.where = {file_name, 1, 1};
  }

  Mechanism build() {
    for (const SdfastEntry& entry : entries_) read_entry(entry);
    if (paragraphs_.empty()) throw ModelError(m_.where, "the file describes no body");
    sort_paragraphs();
    set_gravity();
    for (const SdfastBody* b : tree_) add_body(*b);
    for (const SdfastBody* b : tree_) add_joint(*b);
    name_coordinates();
    for (const SdfastBody* b : loops_) add_loop(*b);
    add_prescribed();
    m_.description = fmt::format("'{}', imported from SD/FAST", m_.name);
    (void)check_mechanism(m_);
    return std::move(m_);
  }

 private:
  // ---- reading ------------------------------------------------------------------------------------------------------------
  [[noreturn]] static void fail(const Where& where, const std::string& message) { throw ModelError(where, message); }

  void read_entry(const SdfastEntry& e) {
    if (e.key == "body") return begin_paragraph(e);
    if (e.key == "constraint" || e.key == "constraints") {
      m_.notes.push_back(
          fmt::format("{}: a user constraint is a program, which the file does not contain: the motion here is without "
                      "it; kane export --to sdfast writes code that calls it",
                      e.where.to_string()));
      return;
    }
    if (paragraphs_.empty()) return read_preamble(e);
    SdfastBody& b = paragraphs_.back();
    if (e.key == "inboard")
      b.inboard = e.word, inboard_where_[&b - paragraphs_.data()] = e.value_where;
    else if (e.key == "joint")
      set_joint(b, e);
    else if (e.key == "jname")
      b.joint_name = e.word;
    else if (e.key == "mass")
      b.mass = one(e);
    else if (e.key == "inertia")
      b.inertia = inertia_of(e);
    else if (e.key == "bodytojoint")
      b.to_joint = three(e);
    else if (e.key == "inbtojoint")
      b.inboard_to_joint = three(e);
    else if (e.key == "pin")
      add_pins(e, b.pins);
    else if (e.key == "bodypin")
      add_pins(e, b.body_pins);
    else if (e.key == "inbref")
      b.inboard_reference = three(e);
    else if (e.key == "bodyref")
      b.body_reference = three(e);
    else if (e.key == "prescribed")
      b.prescribed = e.numbers, b.all_prescribed = e.numbers.empty();
    else
      fail(e.where, fmt::format("'{}' belongs before the first body", e.key));
  }

  void read_preamble(const SdfastEntry& e) {
    if (e.key == "gravity") {
      gravity_ = three(e);
    } else if (e.key == "grounded") {
      grounded_ = true;
    } else if (e.key == "language" || e.key == "prefix" || e.key == "single" || e.key == "double" ||
               e.key == "stabvel" || e.key == "stabpos") {
      if (e.key != "prefix")  // kane export --to sdfast uses it
        m_.notes.push_back(fmt::format("{}: '{}' concerns the code that SD/FAST writes and has no meaning here",
                                       e.where.to_string(), e.key));
    } else {
      fail(e.where, fmt::format("'{}' belongs to a body; begin with body = NAME", e.key));
    }
  }

  void begin_paragraph(const SdfastEntry& e) {
    if (paragraphs_.size() >= limits_.max_bodies)
      throw LimitError(
          e.where, fmt::format("the file has more than {} bodies; this is the limit max_bodies", limits_.max_bodies));
    SdfastBody b;
    b.name = e.word;
    b.where = e.where;
    check_name(b.name, e.value_where);
    paragraphs_.push_back(std::move(b));
  }

  static void check_name(const std::string& name, const Where& where) {
    const bool letters =
        std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    if (!letters || name.empty() || std::isalpha(static_cast<unsigned char>(name.front())) == 0)
      fail(where,
           fmt::format("'{}' is not a name: letters, digits and underscores, beginning with a letter", shown(name)));
  }

  void set_joint(SdfastBody& b, const SdfastEntry& e) {
    std::string kind = lower_case(e.word);
    for (const auto& [alias, name] : kAliases)
      if (kind == alias) kind = name;
    std::vector<std::string> known;
    for (const SdfastJointKind& row : kKinds) {
      if (row.name == kind) b.joint = &row;
      known.emplace_back(row.name);
    }
    if (b.joint == nullptr)
      fail(e.value_where, fmt::format("unknown type of joint '{}'{}", shown(e.word), suggestion(kind, known)));
    b.joint_where = e.where;
  }

  static SdfastNumber one(const SdfastEntry& e) {
    if (e.numbers.size() != 1)
      fail(e.where, fmt::format("'{}' needs one number, but {} are given", e.key, e.numbers.size()));
    return e.numbers.front();
  }

  static std::vector<SdfastNumber> three(const SdfastEntry& e) {
    if (e.numbers.size() != 3)
      fail(e.where, fmt::format("'{}' needs three numbers, but {} are given", e.key, e.numbers.size()));
    return e.numbers;
  }

  static std::vector<SdfastNumber> inertia_of(const SdfastEntry& e) {
    if (e.numbers.size() != 3 && e.numbers.size() != 9)
      fail(e.where, fmt::format("'inertia' needs three or nine numbers, but {} are given", e.numbers.size()));
    std::vector<SdfastNumber> I = e.numbers;
    if (I.size() != 9) return I;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        if (!I[3 * i + j].given) I[3 * i + j] = I[3 * j + i];  // a '?' below the diagonal means "symmetric"
        if (I[3 * i + j].value != I[3 * j + i].value) fail(I[3 * i + j].where, "the inertia is not symmetric");
      }
    return I;
  }

  static void add_pins(const SdfastEntry& e, std::vector<std::vector<SdfastNumber>>& pins) {
    if (e.numbers.size() % 3 != 0)
      fail(e.where, fmt::format("a pin needs three numbers, but {} are given", e.numbers.size()));
    for (std::size_t i = 0; i < e.numbers.size(); i += 3)
      pins.emplace_back(e.numbers.begin() + static_cast<std::ptrdiff_t>(i),
                        e.numbers.begin() + static_cast<std::ptrdiff_t>(i) + 3);
  }

  // ---- the tree -----------------------------------------------------------------------------------------------------------
  /// A paragraph whose body is described already is a joint that closes a loop.
  void sort_paragraphs() {
    std::vector<std::string> known{"$ground"};
    const auto is_known = [&](const std::string& name) {
      return std::any_of(known.begin(), known.end(),
                         [&](const std::string& k) { return lower_case(k) == lower_case(name); });
    };
    for (std::size_t i = 0; i < paragraphs_.size(); ++i) {
      SdfastBody& b = paragraphs_[i];
      complete(b, i == 0);
      if (!is_known(b.inboard)) {
        const auto where = inboard_where_.find(static_cast<std::ptrdiff_t>(i));
        fail(where == inboard_where_.end() ? b.where : where->second,
             fmt::format("the inboard body '{}' is not described before{}", shown(b.inboard),
                         suggestion(b.inboard, known)));
      }
      const bool loop = is_known(b.name);
      if (loop && b.mass) fail(b.mass->where, fmt::format("the body '{}' has its mass already", b.name));
      (loop ? loops_ : tree_).push_back(&b);
      if (!loop) known.push_back(b.name);
    }
    for (SdfastBody& b : paragraphs_) {
      b.name = own_name(b.name);
      b.inboard = own_name(b.inboard);
    }
  }

  void complete(SdfastBody& b, bool first) {
    if (b.joint == nullptr) {
      if (!first || grounded_) fail(b.where, fmt::format("the body '{}' needs a joint: joint = TYPE", b.name));
      b.joint =
          &*std::find_if(std::begin(kKinds), std::end(kKinds), [](const auto& row) { return row.name == "free"; });
      b.joint_where = b.where;
      if (b.inboard.empty()) b.inboard = "$ground";
    }
    if (b.inboard.empty()) fail(b.where, fmt::format("the body '{}' needs its inboard body: inb = NAME", b.name));
  }

  /// As it was first written: SD/FAST does not distinguish case.
  std::string own_name(const std::string& name) {
    if (lower_case(name) == "$ground") return m_.ground;
    const auto [place, added] = body_names_.emplace(lower_case(name), "");
    if (added) place->second = names_.add(name, "body", &m_.notes);
    return place->second;
  }

  /// A number, or the parameter that stands for it.
  Expr value(const SdfastNumber& n, const std::string& name, std::string_view unit) {
    if (!n.parameter) return Expr(n.value);
    if (!n.given)
      m_.notes.push_back(
          fmt::format("{}: the parameter '{}' has no value in the file and is 0", n.where.to_string(), name));
    m_.units[name] = unit;
    return m_.add_parameter(name, Expr(n.value));
  }

  Expr3 vector(const std::vector<SdfastNumber>& v, const std::string& name, std::string_view unit) {
    if (v.empty()) return {};
    Expr3 result;
    for (std::size_t i = 0; i < 3; ++i) result[i] = value(v[i], fmt::format("{}_{}", name, "xyz"[i]), unit);
    return result;
  }

  void set_gravity() {
    if (gravity_.empty()) return;
    std::string text;
    for (std::size_t i = 0; i < 3; ++i) {
      if (!gravity_[i].parameter && gravity_[i].value == 0) continue;
      const std::string name = fmt::format("g_{}", "xyz"[i]);
      (void)m_.add_parameter(name, Expr(gravity_[i].value));
      m_.units[name] = "m/s^2";
      text += fmt::format("{}{}*{}.{}", text.empty() ? "" : " + ", name, m_.ground, "xyz"[i]);
    }
    if (!text.empty()) m_.gravity = {text, gravity_.front().where};
  }

  void add_body(const SdfastBody& b) {
    MechanismBody body;
    body.name = b.name;
    body.where = b.where;
    if (b.mass) body.mass = value(*b.mass, "m_" + b.name, "kg");
    if (b.mass && !b.mass->parameter && b.mass->value < 0)
      fail(b.mass->where, fmt::format("the mass of '{}' is negative", b.name));
    const auto entry = [&](std::size_t i, std::size_t j) {
      if (b.inertia.empty()) return Expr(0);
      if (b.inertia.size() == 3)
        return i == j ? value(b.inertia[i], fmt::format("I_{}_{}{}", b.name, i + 1, i + 1), "kg*m^2") : Expr(0);
      return value(b.inertia[3 * i + j], fmt::format("I_{}_{}{}", b.name, i + 1, j + 1), "kg*m^2");
    };
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = i; j < 3; ++j) body.inertia[i][j] = body.inertia[j][i] = entry(i, j);
    m_.add_body(std::move(body));
  }

  Expr3 pin(const SdfastBody& b, std::size_t k) {
    const int needed = b.joint->pins;
    if (b.pins.size() != static_cast<std::size_t>(needed))
      fail(b.joint_where, fmt::format("a joint of the type '{}' has {} pin{}, but {} {} given", b.joint->name, needed,
                                      needed == 1 ? "" : "s", b.pins.size(), b.pins.size() == 1 ? "is" : "are"));
    const auto& p = b.pins[k];
    const bool zero =
        std::all_of(p.begin(), p.end(), [](const SdfastNumber& n) { return n.value == 0 && !n.parameter; });
    if (zero) fail(p.front().where, "the pin has no length");
    const auto known = pin_values_.find({b.name, k});
    if (known != pin_values_.end()) return known->second;
    return pin_values_[{b.name, k}] = vector(p, fmt::format("pin{}_{}", k + 1, b.name), "");
  }

  std::vector<ElementaryMotion> motions_of(const SdfastBody& b) {
    std::vector<ElementaryMotion> motions;
    const std::string_view code = b.joint->motions;
    // Sliding along the axes of a free joint without pins: those of the inboard body.
    const bool own_axes = b.joint->pins == 3 && b.pins.empty() && code.find('b') != std::string_view::npos;
    if (b.joint->pins == 0 && !b.pins.empty())
      fail(b.joint_where, fmt::format("a joint of the type '{}' has no pins", b.joint->name));
    for (std::size_t i = 0; i < code.size(); i += 2) {
      ElementaryMotion motion;
      motion.kind = code[i] == 'r' ? MotionKind::Rotation : code[i] == 't' ? MotionKind::Translation : MotionKind::Ball;
      const auto k = static_cast<std::size_t>(code[i + 1] - '1');
      if (motion.kind != MotionKind::Ball) {
        motion.axis = {};
        if (own_axes)
          motion.axis[k] = 1;
        else
          motion.axis = pin(b, k);
      }
      motions.push_back(std::move(motion));
    }
    return motions;
  }

  void add_joint(const SdfastBody& b) {
    Joint joint;
    joint.name = joint_names_.add(b.joint_name.empty() ? b.name : b.joint_name, "joint");
    joint.where = b.joint_where;
    joint.parent = b.inboard;
    joint.child = b.name;
    joint.motions = motions_of(b);
    joint.kind = kind_of(joint.motions);
    joint.on_parent.position = vector(b.inboard_to_joint, "itj_" + b.name, "m");
    joint.on_child.position = vector(b.to_joint, "btj_" + b.name, "m");
    m_.add_joint(std::move(joint));
  }

  /// q1, q2, ... as SD/FAST numbers them: in the order of the joints, every fourth Euler parameter after all others; u1, u2, ...
  /// likewise. Each speed gets
  /// an input tau1, tau2, ...: the force or torque that programs give with sdhinget.
  void name_coordinates() {
    std::size_t speeds = 0;
    for (const Joint& j : m_.joints)
      for (const ElementaryMotion& motion : j.motions) speeds += motion.kind == MotionKind::Ball ? 3 : 1;
    std::size_t next = 1, last = speeds + 1;
    for (std::size_t k = 0; k < m_.joints.size(); ++k) {
      Joint& joint = m_.joints[k];
      std::vector<std::string> q, u;
      for (const ElementaryMotion& motion : joint.motions) {
        const int count = motion.kind == MotionKind::Ball ? 3 : 1;
        for (int i = 0; i < count; ++i, ++next)
          q.push_back(fmt::format("q{}", next)), u.push_back(fmt::format("u{}", next));
        if (count == 3) q.push_back(fmt::format("q{}", last)), m_.initial[q.back()] = 1, ++last;
      }
      name_motions(graph_, joint, q, u);
      add_torques(joint);
    }
  }

  void add_torques(Joint& joint) {
    for (ElementaryMotion& motion : joint.motions) {
      std::vector<std::string> inputs;
      for (const Expr& u : motion.speeds) {
        inputs.push_back("tau" + u.name().substr(1));
        const Expr input = m_.add_input(inputs.back());
        m_.units[inputs.back()] = motion.kind == MotionKind::Translation ? "N" : "N*m";
        if (motion.kind != MotionKind::Ball) motion.law.actuator = input;
      }
      if (motion.kind != MotionKind::Ball) continue;
      Load load;
      load.name = fmt::format("{}_torque", joint.name);
      load.where = joint.where;
      load.what = TorqueLoad{
          {fmt::format("{0}*{3}.x + {1}*{3}.y + {2}*{3}.z", inputs[0], inputs[1], inputs[2], joint.child), joint.where},
          {},
          joint.child,
          joint.parent == m_.ground ? "" : joint.parent};
      m_.loads.push_back(std::move(load));
    }
  }

  // ---- loops --------------------------------------------------------------------------------------------------------------
  static Vec3 numbers(const std::vector<SdfastNumber>& v) {
    for (const SdfastNumber& n : v)
      if (n.parameter) fail(n.where, "directions of a loop joint must be numbers, not parameters");
    return {v[0].value, v[1].value, v[2].value};
  }

  /// Axes with z along `axis` and x as near to `reference` as possible; any x without a reference.
  static Mat3 frame(const Vec3& axis, const std::vector<SdfastNumber>& reference) {
    const Vec3 z = unit(axis);
    Vec3 x = across(z);
    if (!reference.empty()) {
      const Vec3 given = numbers(reference), part = given - dot(given, z) * z;
      if (norm(part) < 1e-12) fail(reference.front().where, "the reference line is parallel to the pin");
      x = unit(part);
    }
    return transposed(Mat3{{x, cross(z, x), z}});
  }

  static Expr33 exprs(const Mat3& m) {
    Expr33 r;
    for (std::size_t i = 0; i < 3; ++i) r[i] = {Expr(m[i].x), Expr(m[i].y), Expr(m[i].z)};
    return r;
  }

  void add_loop(const SdfastBody& b) {
    Joint joint;
    joint.name = joint_names_.add(b.joint_name.empty() ? b.name + "_loop" : b.joint_name, "joint");
    joint.where = b.joint_where;
    joint.parent = b.inboard;
    joint.child = b.name;
    joint.closing = true;
    joint.on_parent.position = vector(b.inboard_to_joint, "itj_" + joint.name, "m");
    joint.on_child.position = vector(b.to_joint, "btj_" + joint.name, "m");
    const std::string_view kind = b.joint->name;
    if (kind.starts_with("r"))
      fail(b.joint_where, fmt::format("a loop cannot be closed by a joint of the type '{}'", kind));
    if (!b.prescribed.empty() || b.all_prescribed)
      fail(b.joint_where, "prescribed motion of a loop joint is not supported");
    const auto axis = [&](Vec3 a, MotionKind what) {
      ElementaryMotion motion;
      motion.kind = what;
      motion.axis = {Expr(a.x), Expr(a.y), Expr(a.z)};
      joint.motions.push_back(std::move(motion));
    };
    if (kind == "ball" || kind == "gimbal") {
      axis({0, 0, 1}, MotionKind::Ball);
    } else if (kind == "free" || kind == "bushing") {
      m_.notes.push_back(fmt::format("{}: a loop joint of the type '{}' constrains nothing and is left out",
                                     b.where.to_string(), kind));
      return;
    } else {
      const Vec3 inboard = pins_of(b, b.pins, 0);
      const Vec3 body = b.body_pins.empty() ? inboard : pins_of(b, b.body_pins, 0);
      joint.on_parent.rotation = exprs(frame(inboard, b.inboard_reference));
      joint.on_child.rotation = exprs(frame(body, b.body_reference));
      if (kind == "pin") axis({0, 0, 1}, MotionKind::Rotation);
      if (kind == "slider") axis({0, 0, 1}, MotionKind::Translation);
      if (kind == "cylinder") axis({0, 0, 1}, MotionKind::Translation), axis({0, 0, 1}, MotionKind::Rotation);
      if (kind == "bearing") axis({0, 0, 1}, MotionKind::Translation), axis({0, 0, 1}, MotionKind::Ball);
      if (kind == "ujoint") add_universal(b, joint);
      if (kind == "planar") add_planar(b, joint);
    }
    joint.kind = kind_of(joint.motions);
    name_motions(graph_, joint, {}, {});
    m_.add_joint(std::move(joint));
  }

  static Vec3 pins_of(const SdfastBody& b, const std::vector<std::vector<SdfastNumber>>& pins, std::size_t k) {
    if (pins.size() <= k)
      fail(b.joint_where, fmt::format("a loop joint of the type '{}' needs its pins", b.joint->name));
    const Vec3 pin = numbers(pins[k]);
    if (norm(pin) == 0) fail(pins[k].front().where, "the pin has no length");
    return pin;
  }

  /// The first pin is fixed in the inboard body, the second in the body; they stay perpendicular.
  static void add_universal(const SdfastBody& b, Joint& joint) {
    const Vec3 first = pins_of(b, b.pins, 0);
    const Vec3 second =
        b.body_pins.empty() ? pins_of(b, b.pins, 1) : pins_of(b, b.body_pins, b.body_pins.size() > 1 ? 1 : 0);
    joint.on_parent.rotation = exprs(frame(first, {}));
    // On the body's side the second pin is x, so that the joint is a rotation about z, then about x.
    const Vec3 x = unit(second), z = across(x);
    joint.on_child.rotation = exprs(transposed(Mat3{{x, cross(z, x), z}}));
    for (const Vec3 a : {Vec3{0, 0, 1}, Vec3{1, 0, 0}}) {
      ElementaryMotion motion;
      motion.kind = MotionKind::Rotation;
      motion.axis = {Expr(a.x), Expr(a.y), Expr(a.z)};
      joint.motions.push_back(std::move(motion));
    }
  }

  /// Slides along the first two pins, turns about the third.
  static void add_planar(const SdfastBody& b, Joint& joint) {
    const Vec3 normal = pins_of(b, b.pins, 2);
    const Vec3 on_body = b.body_pins.size() == 3 ? pins_of(b, b.body_pins, 2) : normal;
    joint.on_parent.rotation = exprs(frame(normal, {}));
    joint.on_child.rotation = exprs(frame(on_body, {}));
    for (const auto& [a, kind] :
         {std::pair{Vec3{1, 0, 0}, MotionKind::Translation}, std::pair{Vec3{0, 1, 0}, MotionKind::Translation},
          std::pair{Vec3{0, 0, 1}, MotionKind::Rotation}}) {
      ElementaryMotion motion;
      motion.kind = kind;
      motion.axis = {Expr(a.x), Expr(a.y), Expr(a.z)};
      joint.motions.push_back(std::move(motion));
    }
  }

  // ---- prescribed motion --------------------------------------------------------------------------------------------------
  /// Prescribed coordinates follow inputs; those that may be switched at run time are constraints that can be.
  void add_prescribed() {
    for (const SdfastBody* b : tree_) {
      if (b->prescribed.empty() && !b->all_prescribed) continue;
      const Joint& joint = *std::find_if(m_.joints.begin(), m_.joints.end(),
                                         [&](const Joint& j) { return j.child == b->name && !j.closing; });
      std::vector<const ElementaryMotion*> axes;
      for (const ElementaryMotion& motion : joint.motions) axes.push_back(&motion);
      std::size_t speeds = 0;
      for (const ElementaryMotion* motion : axes) speeds += motion->speeds.size();
      if (!b->all_prescribed && b->prescribed.size() != speeds)
        fail(b->prescribed.front().where,
             fmt::format("'prescribed' needs {} number{}, one for each degree of freedom of the joint", speeds,
                         speeds == 1 ? "" : "s"));
      std::size_t k = 0;
      for (const ElementaryMotion* motion : axes)
        for (std::size_t i = 0; i < motion->speeds.size(); ++i, ++k) {
          const SdfastNumber how = b->all_prescribed ? SdfastNumber{1, false, true, b->where} : b->prescribed[k];
          const bool active = how.given ? how.value != 0 : true;
          if (!active && !how.parameter) continue;
          prescribe(*motion, i, active, how.where);
        }
    }
  }

  void prescribe(const ElementaryMotion& motion, std::size_t i, bool active, const Where& where) {
    const std::string number = motion.speeds[i].name().substr(1);
    Constraint constraint;
    constraint.name = "prescribed" + number;
    constraint.where = where;
    constraint.active = active;
    ExpressionConstraint rows;
    const std::string input = (motion.kind == MotionKind::Ball ? "rate" : "pos") + number;
    (void)m_.add_input(input);
    if (motion.kind == MotionKind::Ball)
      rows.motion.push_back({fmt::format("u{} - {}", number, input), where});
    else
      rows.configuration.push_back({fmt::format("q{} - {}", number, input), where});
    constraint.what = std::move(rows);
    m_.constraints.push_back(std::move(constraint));
  }

  std::vector<SdfastEntry> entries_;
  SdfastLimits limits_;
  Mechanism m_;
  Graph& graph_;
  ImportNames names_, joint_names_;
  std::map<std::string, std::string> body_names_;  ///< by lower case
  std::vector<SdfastNumber> gravity_;
  bool grounded_ = false;
  std::vector<SdfastBody> paragraphs_;
  std::map<std::ptrdiff_t, Where> inboard_where_;
  std::vector<const SdfastBody*> tree_, loops_;
  std::map<std::pair<std::string, std::size_t>, Expr3> pin_values_;
};

}  // namespace

Mechanism read_sdfast_text(std::string_view text, const std::string& file_name, const SdfastOptions& options) {
  return SdfastBuilder(parse_sdfast(text, file_name, options.limits), file_name, options.limits).build();
}

SdfastProgram read_sdfast_program(std::string_view text, const std::string& file_name, const SdfastLimits& limits) {
  SdfastProgram program;
  for (const SdfastEntry& e : parse_sdfast(text, file_name, limits)) {
    if (e.key == "prefix") program.prefix = e.word;
    if (e.key == "constraint") program.user_constraints.push_back(e.word);
    if (e.key != "constraints") continue;
    const double count = e.numbers.empty() ? 0 : e.numbers.front().value;
    if (!(count >= 0) || count > 1000 || count != std::floor(count))
      throw ModelError(e.value_where, "'constraints' is a number from 0 to 1000");
    for (int i = 0; i < static_cast<int>(count); ++i)
      program.user_constraints.push_back(fmt::format("user{}", program.user_constraints.size() + 1));
  }
  const bool letters = std::all_of(program.prefix.begin(), program.prefix.end(),
                                   [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  if (!letters || program.prefix.empty() || std::isdigit(static_cast<unsigned char>(program.prefix.front())) != 0)
    throw ModelError(file_name.empty() ? Where{} : Where{file_name, 1, 1},
                     fmt::format("the prefix '{}' does not begin a name", shown(program.prefix)));
  return program;
}

}  // namespace kane
