#include "kane/formats/fortytwo/fortytwo_file.hpp"

#include <algorithm>
#include <set>

#include "kane/base/suggest.hpp"
#include "kane/formats/fortytwo/fortytwo_lines.hpp"
#include "kane/formats/yaml/yaml_document.hpp"

namespace kane {

namespace {

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

Vec3 vector_of(const std::vector<double>& v, std::size_t first = 0) { return {v[first], v[first + 1], v[first + 2]}; }

class FortyTwoParser {
 public:
  FortyTwoParser(std::string_view text, const std::string& file_name,
                 const std::optional<std::filesystem::path>& folder, bool lenient, const FortyTwoLimits& limits)
      : sections_(split_fortytwo(text, file_name)),
        folder_(folder),
        lenient_(lenient),
        limits_(limits),
        end_{file_name, static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1, 1} {}

  FortyTwoSpacecraft parse() {
    read_head(section(0, "the head of the file"));
    (void)section(1, "the section of the orbit");
    read_attitude(section(2, "the section of the attitude"));
    const FortyTwoSection& flags = section(3, "the section of flags");
    const FortyTwoSection& bodies = section(4, "the section of bodies");
    read_bodies(bodies);
    read_flags(flags);
    refuse_flex();
    if (sections_.size() > 5 || s_.bodies.size() > 1) read_joints(section(5, "the section of joints"));
    if (sections_.size() > 6) read_wheels(sections_[6]);
    for (std::size_t i = 7; i < sections_.size(); ++i) tell_rest(sections_[i]);
    return std::move(s_);
  }

 private:
  [[nodiscard]] const FortyTwoSection& section(std::size_t i, std::string_view what) const {
    if (i >= sections_.size())
      throw ModelError(end_, fmt::format("the file ends before {}, which a line that begins with '*' opens", what));
    return sections_[i];
  }
  const FortyTwoLine& line(const FortyTwoSection& s, std::size_t i, std::string_view what) const {
    if (i >= s.lines.size())
      throw ModelError(s.lines.empty() ? s.where : s.lines.back().where(),
                       fmt::format("the line for {} is missing after this one", what));
    return s.lines[i];
  }
  void note(const Where& where, const std::string& text) {
    s_.notes.push_back(fmt::format("{}: {}", where.to_string(), text));
  }

  // ---- head, attitude, flags ----------------------------------------------------------------------------------------------
  void read_head(const FortyTwoSection& s) {
    for (std::size_t i = 0; i < s.lines.size(); ++i) {
      const FortyTwoLine& l = s.lines[i];
      if (!l.starts_with('"')) continue;
      s_.label = l.words(1, "the label").front();
      std::erase(s_.label, '"');
      if (i > 0) s_.description = std::string(s.lines[i - 1].text().substr(0, s.lines[i - 1].text().find('!')));
      if (i + 2 < s.lines.size()) {
        const std::string software = upper_case(s.lines[i + 2].words(1, "the flight software").front());
        if (software != "PASSIVE_FSW")
          note(s.lines[i + 2].where(),
               fmt::format("the flight software '{}' is not part of the file: nothing controls the spacecraft",
                           shown(software)));
      }
      return;
    }
    throw ModelError(s.where, "the head of the file has no label in quotes; this is not a spacecraft file of 42");
  }

  FortyTwoAngles read_angles(const FortyTwoLine& l, std::string_view what, bool three) const {
    const auto words = l.words(4, what);
    FortyTwoAngles a;
    for (std::size_t i = 0; i < 3; ++i) a.degrees[i] = l.number(words, i, what);
    a.sequence = words[3];
    const bool digits = a.sequence.find_first_not_of("123") == std::string::npos;
    bool repeats = false;
    for (std::size_t i = 0; i + 1 < a.sequence.size(); ++i) repeats = repeats || a.sequence[i] == a.sequence[i + 1];
    if (!digits || repeats || a.sequence.size() > 3 || (three && a.sequence.size() != 3))
      l.fail(3, fmt::format("'{}' is not a sequence of rotations, such as 213", shown(a.sequence)));
    return a;
  }

  void read_attitude(const FortyTwoSection& s) {
    const FortyTwoLine& code = line(s, 0, "the code of the attitude");
    s_.attitude_code = upper_case(code.words(1, "the code of the attitude").front());
    const std::string& c = s_.attitude_code;
    if (c.size() != 3 || std::string("NL").find(c[0]) == std::string::npos || (c[1] != 'Q' && c[1] != 'A') ||
        std::string("NLEF").find(c[2]) == std::string::npos)
      code.fail(
          0, fmt::format("'{}' is not a code such as NAN: N or L for the rate, Q or A, then N, L, E or F", shown(c)));
    if (c[0] != 'N' || c[2] != 'N')
      note(
          code.where(),
          fmt::format("'{}' refers to the orbit, which this file does not contain; the rate and the attitude are taken "
                      "relative to N",
                      c));
    s_.rate = vector_of(line(s, 1, "the rate").numbers(3, "the rate"));
    const FortyTwoLine& quaternion = line(s, 2, "the quaternion");
    const auto q = quaternion.numbers(4, "the quaternion");
    double square = 0;
    for (std::size_t i = 0; i < 4; ++i) s_.quaternion[i] = q[i], square += q[i] * q[i];
    if (c[1] == 'Q' && square == 0) quaternion.fail("the quaternion is zero");
    s_.angles = read_angles(line(s, 3, "the angles"), "the angles", true);
  }

  /// The lines around that of the reference point have the same order in all layouts; the first ones differ.
  void read_flags(const FortyTwoSection& s) {
    std::size_t reference = s.lines.size();
    for (std::size_t i = 0; i < s.lines.size(); ++i)
      if (upper_case(s.lines[i].words(1, "a flag").front()).starts_with("REFPT_")) reference = i;
    if (reference + 2 >= s.lines.size() || reference < 2)
      throw ModelError(s.where,
                       "the section of flags has no line REFPT_CM or REFPT_JOINT with two lines before and after it");
    const FortyTwoLine& point = s.lines[reference];
    const std::string word = upper_case(point.words(1, "the reference point").front());
    if (word != "REFPT_CM" && word != "REFPT_JOINT")
      point.fail(0, fmt::format("'{}' is neither REFPT_CM nor REFPT_JOINT", shown(word)));
    s_.about_origin = word == "REFPT_JOINT";
    if (s_.about_origin)
      note(point.where(),
           "with REFPT_JOINT and no flexible modes 42 ignores the mass centres; here they count, and the moments of "
           "inertia are "
           "about the origins of the bodies");
    const FortyTwoLine& flex = s.lines[reference + 1];
    flex_ = flex.flag(flex.words(1, "flex"), 0);
    // Up to the middle of 2022: seven or eight flags, with "passive joints enabled" before the constraints.
    const bool old = s.lines.size() == 8 || (s.lines.size() == 7 && body_lines_ < 9);
    if (old && reference >= 2) {
      const FortyTwoLine& passive = s.lines[reference - 2];
      springs_ = passive.flag(passive.words(1, "passive joints enabled"), 0);
    }
  }

  // ---- bodies -------------------------------------------------------------------------------------------------------------
  void read_bodies(const FortyTwoSection& s) {
    const FortyTwoLine& count = line(s, 0, "the number of bodies");
    const auto words = count.words(1, "the number of bodies");
    const std::size_t n = count.index(words, 0, 1000000, "the number of bodies");
    if (n == 0) count.fail(0, "a spacecraft has at least one body");
    if (n > limits_.max_bodies)
      throw LimitError(count.where(), fmt::format("the file has more than {} bodies; this is the limit max_bodies",
                                                  limits_.max_bodies));
    const auto entries = s.entries();
    if (entries.size() != n)
      throw ModelError(count.where(0), fmt::format("the file says {} bod{}, but has {} (each opens with a line of '=')",
                                                   n, n == 1 ? "y" : "ies", entries.size()));
    body_lines_ = entries.front().lines.size();
    for (const FortyTwoSection& e : entries) body_lines_ = std::max(body_lines_, e.lines.size());
    for (std::size_t i = 0; i < n; ++i) read_body(entries[i], i);
  }

  void read_body(const FortyTwoSection& e, std::size_t number) {
    const std::size_t lines = e.lines.size();
    if (lines < 6 || lines > 9)
      throw ModelError(e.where, fmt::format("body {} has {} lines; the layouts of 42 have 6 to 9", number, lines));
    if (lines != body_lines_) {
      const std::string what =
          fmt::format("body {} has {} lines, another one has {}: a line is missing", number, lines, body_lines_);
      if (!lenient_ || lines + 1 != body_lines_) throw ModelError(e.where, what);
      note(e.where, what + "; it is read in the layout with one line less");
    }
    FortyTwoBody b;
    b.where = e.where;
    b.mass = e.lines[0].numbers(1, "the mass").front();
    if (b.mass < 0) e.lines[0].fail(0, fmt::format("the mass of body {} is negative", number));
    b.moments = vector_of(e.lines[1].numbers(3, "the moments of inertia"));
    b.products = vector_of(e.lines[2].numbers(3, "the products of inertia"));
    b.mass_centre = vector_of(e.lines[3].numbers(3, "the mass centre"));
    if (lines >= 7) b.momentum = vector_of(e.lines[4].numbers(3, "the embedded momentum"));
    if (lines == 9) (void)e.lines[5].numbers(3, "the dipole");
    const FortyTwoLine& flex = e.lines.back();
    const std::string file = flex.words(1, "the flex file").front();
    if (upper_case(file) != "NONE") flex_files_.emplace_back(flex.where(0), file);
    s_.bodies.push_back(b);
  }

  void refuse_flex() {
    for (const auto& [where, file] : flex_files_) {
      const std::string what = fmt::format(
          "flexible modes ('{}') are not supported{}", shown(file),
          flex_ ? "" : "; they are switched off by the flags, so that NONE in place of the file gives the same motion");
      if (!lenient_) throw ModelError(where, what + " (--lenient reads the body as rigid)");
      note(where, what + "; the body is rigid");
    }
  }

  // ---- joints -------------------------------------------------------------------------------------------------------------
  void read_joints(const FortyTwoSection& s) {
    const auto entries = s.entries();
    const std::size_t n = s_.bodies.size() - 1;
    if (n == 0) return;  // a template that 42 throws away
    if (entries.size() != n)
      throw ModelError(
          s.where, fmt::format("{} bodies have {} joint{}, but the file has {} (each opens with a line of '=')", n + 1,
                               n, n == 1 ? "" : "s", entries.size()));
    std::set<std::size_t> placed{0};
    for (std::size_t i = 0; i < n; ++i) {
      read_joint(entries[i], i);
      const FortyTwoJoint& j = s_.joints.back();
      if (!placed.contains(j.inner))
        note(j.where,
             fmt::format("joint {} stands before the joint of its inner body {}; 42 would compute a wrong motion", i,
                         j.inner));
      placed.insert(j.outer);
    }
  }

  void read_joint(const FortyTwoSection& e, std::size_t number) {
    const std::size_t lines = e.lines.size();
    if (lines != 15 && lines != 17 && lines != 18)
      throw ModelError(e.where,
                       fmt::format("joint {} has {} lines; the layouts of 42 have 15, 17 or 18", number, lines));
    FortyTwoJoint j;
    j.where = e.where;
    std::size_t at = 0;
    if (lines != 17) j.type = joint_type(e.lines[at++]);
    read_ends(e.lines[at++], j);
    read_freedom(e.lines[at++], j.rotation, &j);
    read_freedom(e.lines[at++], j.translation, nullptr);
    read_locks(e.lines[at++], j.rotation);
    read_locks(e.lines[at++], j.translation);
    read_three(e.lines[at++], "the angles", j.rotation.value);
    read_three(e.lines[at++], "the rates of the angles", j.rotation.rate);
    read_three(e.lines[at++], "the displacements", j.translation.value);
    read_three(e.lines[at++], "the rates of the displacements", j.translation.rate);
    j.inner_to_joint = read_angles(e.lines[at++], "Bi to Gi", false);
    j.joint_to_outer = read_angles(e.lines[at++], "Go to Bo", false);
    j.on_inner = vector_of(e.lines[at++].numbers(3, "the joint in the inner body"));
    j.on_outer = vector_of(e.lines[at++].numbers(3, "the joint in the outer body"));
    if (lines == 15)
      read_parameter_file(e.lines[at], j);
    else
      read_springs({e.lines.begin() + static_cast<std::ptrdiff_t>(at), e.lines.end()}, j, e.where);
    for (FortyTwoAxes* axes : {&j.rotation, &j.translation})
      for (auto i = static_cast<std::size_t>(axes->free); i < 3; ++i) axes->value[i] = axes->rate[i] = 0;  // as 42 does
    s_.joints.push_back(j);
  }

  static FortyTwoJointType joint_type(const FortyTwoLine& l) {
    const std::string type = upper_case(l.words(1, "the type of the joint").front());
    if (type == "PASSIVE") return FortyTwoJointType::Passive;
    if (type == "ACTUATED") return FortyTwoJointType::Actuated;
    if (type == "AD_HOC_JOINT") return FortyTwoJointType::AdHoc;
    for (const char* known : {"STEPPER_MOTOR", "TVC_JOINT", "VIBRATION_ISOLATOR", "SLOSH", "STEERING_MIRROR"})
      if (type == known)
        l.fail(0, fmt::format("joints of the type '{}' are not supported (42 itself stops at its first step)", type));
    l.fail(0, fmt::format("unknown type of joint '{}'{}", shown(type),
                          suggestion(type, {"PASSIVE", "ACTUATED", "AD_HOC_JOINT"})));
  }

  void read_ends(const FortyTwoLine& l, FortyTwoJoint& j) {
    const auto words = l.words(2, "the bodies of the joint");
    const std::size_t last = s_.bodies.size() - 1;
    j.inner = l.index(words, 0, last, "the index of a body");
    j.outer = l.index(words, 1, last, "the index of a body");
    if (j.inner >= j.outer)
      l.fail(0, fmt::format("the inner body {} must have a lower index than the outer body {}", j.inner, j.outer));
    for (const FortyTwoJoint& other : s_.joints)
      if (other.outer == j.outer) l.fail(1, fmt::format("body {} is the outer body of another joint already", j.outer));
  }

  static void read_freedom(const FortyTwoLine& l, FortyTwoAxes& axes, FortyTwoJoint* joint) {
    const std::string_view what = joint != nullptr ? "the rotations" : "the translations";
    const auto words = l.words(joint != nullptr ? 3 : 2, what);
    axes.where = l.where();
    axes.free = static_cast<int>(l.index(words, 0, 3, "the number of free axes"));
    axes.sequence = words[1];
    std::string sorted = axes.sequence;
    std::sort(sorted.begin(), sorted.end());
    if (sorted != "123")
      l.fail(1, fmt::format("the sequence '{}' must have each of the digits 1, 2 and 3 once", shown(axes.sequence)));
    if (joint == nullptr) return;
    const std::string kind = upper_case(words[2]);
    if (kind != "GIMBAL" && kind != "SPHERICAL")
      l.fail(2, fmt::format("'{}' is neither GIMBAL nor SPHERICAL", shown(words[2])));
    joint->spherical = kind == "SPHERICAL";
    if (joint->spherical && axes.free != 3) l.fail(0, "a SPHERICAL joint has three free rotations");
    if (joint->spherical) axes.sequence = "123";  // whatever is written
  }

  static void read_locks(const FortyTwoLine& l, FortyTwoAxes& axes) {
    const auto words = l.words(3, "the locks");
    for (std::size_t i = 0; i < 3; ++i) axes.locked[i] = l.flag(words, i) && static_cast<int>(i) < axes.free;
  }

  static void read_three(const FortyTwoLine& l, std::string_view what, std::array<double, 3>& values) {
    const auto numbers = l.numbers(3, what);
    std::copy(numbers.begin(), numbers.end(), values.begin());
  }

  void read_springs(const std::vector<FortyTwoLine>& lines, FortyTwoJoint& j, const Where& where) {
    if (lines.size() < 4)
      throw ModelError(where, "four lines are expected: stiffness and damping of rotations, then of translations");
    read_three(lines[0], "the stiffness of rotations", j.rotation.stiffness);
    read_three(lines[1], "the damping of rotations", j.rotation.damping);
    read_three(lines[2], "the stiffness of translations", j.translation.stiffness);
    read_three(lines[3], "the damping of translations", j.translation.damping);
    if (springs_ && j.type == FortyTwoJointType::Passive) return;
    for (FortyTwoAxes* axes : {&j.rotation, &j.translation}) axes->stiffness = axes->damping = {};
  }

  void read_parameter_file(const FortyTwoLine& l, FortyTwoJoint& j) {
    const std::string name = l.words(1, "the parameter file").front();
    if (upper_case(name) == "NONE" || j.type != FortyTwoJointType::Passive) return;
    if (!folder_)
      l.fail(0,
             fmt::format("the parameter file '{}' cannot be read: this text does not come from a folder", shown(name)));
    const Where where = l.where(0);
    const YamlPlace place{&where.file, nullptr, where.line, where.column};
    const bool in_model =
        !std::filesystem::exists(*folder_ / name) && std::filesystem::exists(*folder_ / "Model" / name);
    const std::filesystem::path path = path_beneath(*folder_, in_model ? "Model/" + name : name, place);
    const std::string text = read_file_bytes(path, path.string(), limits_.max_bytes);
    const auto sections = split_fortytwo(text, (*folder_ / (in_model ? "Model/" + name : name)).string());
    if (sections.size() < 2)
      throw ModelError(sections.front().where,
                       "a parameter file has a line that begins with '*', then four lines of three numbers");
    read_springs(sections[1].lines, j, sections[1].where);
  }

  // ---- wheels and the rest ------------------------------------------------------------------------------------------------
  void read_wheels(const FortyTwoSection& s) {
    const auto head = s.head();
    if (head.empty()) return;  // a file cut short has none
    // One line, or drag and jitter before it; without wheels a template without '=' may follow.
    const std::size_t at = head.size() >= 3 && head[0].leading_numbers() == 0 ? 2 : 0;
    if (at == 2)
      for (std::size_t i = 0; i < 2; ++i)
        if (head[i].flag(head[i].words(1, "a switch of the wheels"), 0))
          note(head[i].where(), fmt::format("{} of the wheels is left out", i == 0 ? "the drag" : "the jitter"));
    const FortyTwoLine& count = head[at];
    const std::size_t n =
        count.index(count.words(1, "the number of wheels"), 0, limits_.max_bodies, "the number of wheels");
    if (n == 0) return;
    const auto entries = s.entries();
    if (entries.size() != n)
      count.fail(0, fmt::format("the file says {} wheel{}, but has {} (each opens with a line of '=')", n,
                                n == 1 ? "" : "s", entries.size()));
    for (std::size_t i = 0; i < n; ++i) read_wheel(entries[i], i, at == 2);
  }

  void read_wheel(const FortyTwoSection& e, std::size_t number, bool recent) {
    const std::size_t lines = e.lines.size();
    if (lines != 7 && (lines != 8 || recent))
      throw ModelError(e.where, fmt::format("wheel {} has {} lines; this layout of 42 has {}", number, lines,
                                            recent ? "7" : "7 or 8"));
    FortyTwoWheel w;
    w.where = e.where;
    w.momentum = e.lines[0].numbers(1, "the momentum").front();
    const FortyTwoLine& axis = e.lines[1];
    const bool four = axis.leading_numbers() == 4;
    if (four && recent)
      axis.fail(
          "the axis of a wheel has three numbers; four are given (in 2021 and 2022 the index of the body stood before "
          "them)");
    w.axis = vector_of(axis.numbers(four ? 4 : 3, "the axis"), four ? 1 : 0);
    if (norm(w.axis) == 0) axis.fail("the axis of the wheel has no length");
    (void)e.lines[2].numbers(2, "the limits of torque and momentum");
    w.inertia = e.lines[3].numbers(1, "the inertia of the rotor").front();
    const std::size_t last = s_.bodies.size() - 1;
    const auto body_on = [&](const FortyTwoLine& l) {
      return l.index(l.words(1, "the body"), 0, last, "the index of a body");
    };
    if (recent)
      w.body = body_on(e.lines[4]);
    else if (four)
      w.body = axis.index(axis.words(4, "the axis"), 0, last, "the index of a body");
    else if (lines == 8)
      w.body = body_on(line_about_body(e));
    s_.wheels.push_back(w);
  }

  /// The layout of 2021 has the body behind the two imbalances; its comment says where.
  static const FortyTwoLine& line_about_body(const FortyTwoSection& e) {
    for (std::size_t i = 4; i < e.lines.size(); ++i)
      if (upper_case(e.lines[i].comment()).find("BODY") != std::string::npos) return e.lines[i];
    return e.lines[6];
  }

  void tell_rest(const FortyTwoSection& s) {
    if (s.lines.empty() || s.lines.front().leading_numbers() == 0) return;
    const auto words = s.lines.front().words(1, "the number of entries");
    const double count = s.lines.front().number(words, 0, "the number of entries");
    if (count > 0)
      note(s.where, fmt::format("the section '{}' has {} entr{}, which take no part in the motion here", shown(s.title),
                                count, count == 1 ? "y" : "ies"));
  }

  std::vector<FortyTwoSection> sections_;
  const std::optional<std::filesystem::path>& folder_;
  bool lenient_;
  FortyTwoLimits limits_;
  Where end_;
  FortyTwoSpacecraft s_;
  std::size_t body_lines_ = 0;
  std::vector<std::pair<Where, std::string>> flex_files_;
  bool flex_ = false;
  bool springs_ = true;
};

}  // namespace

FortyTwoSpacecraft parse_fortytwo(std::string_view text, const std::string& file_name,
                                  const std::optional<std::filesystem::path>& folder, bool lenient,
                                  const FortyTwoLimits& limits) {
  if (text.size() > limits.max_bytes)
    throw LimitError({file_name, 1, 1},
                     fmt::format("the file has more than {} bytes; this is the limit max_bytes", limits.max_bytes));
  return FortyTwoParser(text, file_name, folder, lenient, limits).parse();
}

}  // namespace kane
