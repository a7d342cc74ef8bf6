#include <fmt/format.h>
#include <mujoco/mujoco.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "bench/simulated/tree_run.hpp"

namespace kane::bench {

namespace {

std::string xml_of(const LinkTree& tree, int parent) {
  std::string text;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const Link& l = tree[i];
    if (l.parent != parent) continue;
    text += fmt::format("<body name=\"b{}\" pos=\"{}\"><inertial pos=\"{}\" mass=\"{}\" diaginertia=\"{}\"/>", i,
                        fmt::join(l.at, " "), fmt::join(l.com, " "), l.mass, fmt::join(l.inertia, " "));
    if (l.axis == 'f')
      text += "<freejoint/>";
    else
      text += fmt::format("<joint type=\"hinge\" axis=\"{} {} {}\" stiffness=\"{}\" damping=\"{}\"/>",
                          l.axis == 'x' ? 1 : 0, l.axis == 'y' ? 1 : 0, l.axis == 'z' ? 1 : 0, l.stiffness, l.damping);
    text += xml_of(tree, static_cast<int>(i)) + "</body>\n";
  }
  return text;
}

/// Its constraints are springs: as stiff as the step allows.
std::string loops_of(const LinkTree& tree) {
  std::string text = "<equality>";
  for (const BallLoop& loop : tree.loops)
    text += fmt::format(
        "<connect body1=\"b{}\" body2=\"b{}\" anchor=\"{}\" solref=\"0.002 1\" solimp=\"0.9999 0.9999 0.001\"/>",
        loop.first, loop.second, fmt::join(loop.at_first, " "));
  return text + "</equality>";
}

class MujocoRun final : public TreeRun {
 public:
  explicit MujocoRun(const LinkTree& tree) : tree_(tree) {
    const auto file =
        std::filesystem::temp_directory_path() / fmt::format("kane_bench_{}_{}.xml", ::getpid(), fmt::ptr(this));
    std::ofstream(file) << "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/>"
                           "<option timestep=\"0.001\" gravity=\"0 0 -9.81\" integrator=\"RK4\">"
                           "<flag contact=\"disable\" constraint=\""
                        << (tree.loops.empty() ? "disable" : "enable") << "\"/></option><worldbody>" << xml_of(tree, -1)
                        << "</worldbody>" << (tree.loops.empty() ? "" : loops_of(tree)) << "</mujoco>";
    char error[1000] = "";
    model_ = mj_loadXML(file.c_str(), nullptr, error, sizeof error);
    std::filesystem::remove(file);
    if (model_ == nullptr) throw std::runtime_error(error);
    data_ = mj_makeData(model_);
    restart();
  }
  ~MujocoRun() override { mj_deleteData(data_), mj_deleteModel(model_); }

  void restart() override {
    mj_resetData(model_, data_);
    each_joint([&](const Link& l, double& q) { q = l.start; });
  }
  void run(double duration) override {
    const auto steps = std::lround(duration / 1e-3);
    for (long i = 0; i < steps; ++i) mj_step(model_, data_);
  }
  [[nodiscard]] std::vector<double> angles() const override {
    std::vector<double> r;
    each_joint([&](const Link&, double& q) { r.push_back(q); });
    return r;
  }

 private:
  /// By name: bodies are numbered depth first.
  template <class Work>
  void each_joint(Work work) const {
    for (std::size_t i = 0; i < tree_.size(); ++i) {
      if (tree_[i].axis == 'f') continue;
      const int body = mj_name2id(model_, mjOBJ_BODY, fmt::format("b{}", i).c_str());
      work(tree_[i], data_->qpos[model_->jnt_qposadr[model_->body_jntadr[body]]]);
    }
  }

  LinkTree tree_;
  mjModel* model_;
  mjData* data_;
};

}  // namespace

std::unique_ptr<TreeRun> make_mujoco_run(const LinkTree& tree) { return std::make_unique<MujocoRun>(tree); }

}  // namespace kane::bench
