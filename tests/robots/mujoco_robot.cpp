#include "tests/robots/mujoco_robot.hpp"

#include <cstring>
#include <stdexcept>

namespace kane::test {

namespace {

mjModel* load(std::string text, bool floating, const std::string& root) {
  std::string extra = R"(<mujoco><compiler discardvisual="true" fusestatic="true"/></mujoco>)";
  if (floating)
    extra += R"(<link name="world"/><joint name="freebase" type="floating"><parent link="world"/><child link=")" +
             root + R"("/></joint>)";
  text.insert(text.find('>', text.find("<robot")) + 1, extra);
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "robot.urdf", static_cast<int>(text.size()));
  std::memcpy(files->filedata[0], text.data(), text.size());
  char error[1000] = "";
  mjModel* model = mj_loadXML("robot.urdf", files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (model == nullptr) throw std::runtime_error(std::string("MuJoCo: ") + error);
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
