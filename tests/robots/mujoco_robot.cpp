#include "tests/robots/mujoco_robot.hpp"

#include <tinyxml2.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <stdexcept>

namespace kane::test {

namespace {

using Matrix = std::array<std::array<double, 3>, 3>;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) c[i][j] += a[i][k] * b[k][j];
  return c;
}

/// Turns `inertia` into its principal moments by cyclic Jacobi rotations; the result's columns are the principal axes.
Matrix principal_axes(Matrix& inertia) {
  Matrix axes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (int sweep = 0; sweep < 20; ++sweep)
    for (std::size_t p = 0; p < 3; ++p) {
      const std::size_t q = (p + 1) % 3;
      if (inertia[p][q] == 0) continue;
      const double difference = inertia[q][q] - inertia[p][p];  // the smaller of the two angles, or it goes in circles
      const double angle =
          std::atan2(std::copysign(2 * inertia[p][q], inertia[p][q] * difference), std::abs(difference)) / 2;
      Matrix turn{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, back = turn;
      turn[p][p] = turn[q][q] = back[p][p] = back[q][q] = std::cos(angle);
      turn[p][q] = back[q][p] = std::sin(angle);
      turn[q][p] = back[p][q] = -std::sin(angle);
      inertia = product(product(back, inertia), turn);
      inertia[p][q] = inertia[q][p] = 0;
      axes = product(axes, turn);
    }
  return axes;
}

Matrix rotation(double r, double p, double y) {
  const Matrix x{{{1, 0, 0}, {0, std::cos(r), -std::sin(r)}, {0, std::sin(r), std::cos(r)}}};
  const Matrix yy{{{std::cos(p), 0, std::sin(p)}, {0, 1, 0}, {-std::sin(p), 0, std::cos(p)}}};
  const Matrix z{{{std::cos(y), -std::sin(y), 0}, {std::sin(y), std::cos(y), 0}, {0, 0, 1}}};
  return product(z, product(yy, x));
}

void set(tinyxml2::XMLElement& element, const char* name, std::initializer_list<double> values) {
  std::string text;
  char number[40];
  for (const double v : values) {
    std::snprintf(number, sizeof number, "%.17g ", v);
    text += number;
  }
  text.pop_back();
  element.SetAttribute(name, text.c_str());
}

/// Principal moments that no body can have (A + B < C), by the names of links. Published robots have such; MuJoCo's reader
/// refuses them, its equations do not mind.
using ImpossibleMoments = std::map<std::string, std::array<double, 3>>;

/// MuJoCo finds principal axes to six digits only, so it is given them: inertias turned to diagonal ones.
void make_diagonal(tinyxml2::XMLElement& inertial) {
  tinyxml2::XMLElement* inertia = inertial.FirstChildElement("inertia");
  const auto get = [&](const char* name) { return inertia->DoubleAttribute(name); };
  Matrix I{{{get("ixx"), get("ixy"), get("ixz")},
            {get("ixy"), get("iyy"), get("iyz")},
            {get("ixz"), get("iyz"), get("izz")}}};
  if (I[0][1] == 0 && I[0][2] == 0 && I[1][2] == 0) return;
  tinyxml2::XMLElement* origin = inertial.FirstChildElement("origin");
  if (origin == nullptr) origin = inertial.InsertNewChildElement("origin");
  double rpy[3] = {0, 0, 0};
  if (const char* text = origin->Attribute("rpy")) std::sscanf(text, "%lf %lf %lf", rpy, rpy + 1, rpy + 2);
  Matrix axes = principal_axes(I);
  Matrix R = product(rotation(rpy[0], rpy[1], rpy[2]), axes);
  // Away from the pole of these angles: another order of the principal axes.
  for (int order = 0; order < 2 && std::abs(R[2][0]) > 0.9; ++order) {
    const Matrix cycle{{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}}, back{{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}};
    R = product(R, cycle);
    I = product(back, product(I, cycle));
  }
  set(*origin, "rpy",
      {std::atan2(R[2][1], R[2][2]), std::atan2(-R[2][0], std::hypot(R[0][0], R[1][0])), std::atan2(R[1][0], R[0][0])});
  for (const char* name : {"ixy", "ixz", "iyz"}) set(*inertia, name, {0});
  set(*inertia, "ixx", {I[0][0]});
  set(*inertia, "iyy", {I[1][1]});
  set(*inertia, "izz", {I[2][2]});
}

/// Makes impossible moments equal to each other and keeps the true ones.
void make_possible(tinyxml2::XMLElement& inertial, const std::string& link, ImpossibleMoments& kept) {
  tinyxml2::XMLElement* inertia = inertial.FirstChildElement("inertia");
  const std::array<const char*, 3> names{"ixx", "iyy", "izz"};
  std::array<double, 3> moments{};
  double sum = 0, largest = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    moments[i] = inertia->DoubleAttribute(names[i]);
    sum += moments[i];
    largest = std::max(largest, moments[i]);
  }
  if (2 * largest <= sum) return;
  kept[link] = moments;
  for (const char* name : names) set(*inertia, name, {sum / 3});
}

std::string with_diagonal_inertias(const std::string& text, ImpossibleMoments& kept) {
  tinyxml2::XMLDocument document;
  document.Parse(text.c_str());
  for (auto* link = document.RootElement()->FirstChildElement("link"); link != nullptr;
       link = link->NextSiblingElement("link"))
    if (auto* inertial = link->FirstChildElement("inertial")) {
      make_diagonal(*inertial);
      make_possible(*inertial, link->Attribute("name"), kept);
    }
  tinyxml2::XMLPrinter printer;
  document.Print(&printer);
  return printer.CStr();
}

mjModel* load(std::string text, bool floating, const std::string& root) {
  std::string extra = R"(<mujoco><compiler discardvisual="true" fusestatic="false"/></mujoco>)";
  if (floating)
    extra += R"(<link name="world"/><joint name="freebase" type="floating"><parent link="world"/><child link=")" +
             root + R"("/></joint>)";
  ImpossibleMoments kept;
  text = with_diagonal_inertias(text, kept);
  text.insert(text.find('>', text.find("<robot")) + 1, extra);
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "robot.urdf", static_cast<int>(text.size()));
  std::memcpy(files->filedata[0], text.data(), text.size());
  char error[1000] = "";
  mjModel* model = mj_loadXML("robot.urdf", files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (model == nullptr) throw std::runtime_error(std::string("MuJoCo: ") + error);
  for (const auto& [link, moments] : kept)
    std::copy(moments.begin(), moments.end(), model->body_inertia + 3 * mj_name2id(model, mjOBJ_BODY, link.c_str()));
  model->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS | mjDSBL_EQUALITY |
                             mjDSBL_ACTUATION | mjDSBL_WARMSTART;
  return model;
}

}  // namespace

MujocoRobot::MujocoRobot(std::string urdf, bool floating, const std::string& root)
    : model_(load(std::move(urdf), floating, root), &mj_deleteModel),
      data_(mj_makeData(model_.get()), &mj_deleteData) {}

int MujocoRobot::joint(const std::string& name) const {
  const int id = mj_name2id(model_.get(), mjOBJ_JOINT, name.c_str());
  if (id < 0) throw std::runtime_error("MuJoCo has no joint " + name);
  return id;
}

int MujocoRobot::q_index(const std::string& name) const { return model_->jnt_qposadr[joint(name)]; }
int MujocoRobot::u_index(const std::string& name) const { return model_->jnt_dofadr[joint(name)]; }

void MujocoRobot::forward() const { mj_forward(model_.get(), data_.get()); }

std::vector<double> MujocoRobot::mass_matrix() const {
  std::vector<double> full(static_cast<std::size_t>(nv()) * static_cast<std::size_t>(nv()));
  mj_fullM(model_.get(), full.data(), data_->qM);
  return full;
}

}  // namespace kane::test
