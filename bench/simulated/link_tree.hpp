#pragma once
// Trees of links as numbers, to be built in every engine of the comparison of runs. C++17: Simbody's headers need it.

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

namespace kane::bench {

using Triple = std::array<double, 3>;

struct Link {
  int parent = -1;  ///< -1: the ground
  char axis = 'z';  ///< of its revolute joint; 'f': free
  Triple at{};      ///< of the joint in the parent
  double mass = 1;
  Triple com{}, inertia{};            ///< principal, about the mass centre
  double stiffness = 0, damping = 0;  ///< PD control towards zero
  double start = 0;                   ///< angle
};

using LinkTree = std::vector<Link>;

inline Link make_rod(int parent, char axis, const Triple& at, double length, double mass, double start) {
  Link link{parent, axis, at, mass, {length / 2, 0, 0}, {}, 0, 0, start};
  link.inertia = {0.01 * mass * length * length, mass * length * length / 12, mass * length * length / 12};
  return link;
}

inline LinkTree make_arm7() {
  LinkTree tree;
  const char* axes = "zyzyzyz";
  for (int i = 0; i < 7; ++i) {
    Link link = make_rod(i - 1, axes[i], {i == 0 ? 0.0 : 0.3, 0, i == 0 ? 0.3 : 0.05}, 0.3, 4 - 0.5 * i, 0.2 + 0.1 * i);
    link.com[2] = 0.04;
    link.stiffness = 100, link.damping = 5;
    tree.push_back(link);
  }
  return tree;
}

/// A free trunk with four legs of three joints, of the size of ANYmal: 18 degrees of freedom.
inline LinkTree make_quadruped() {
  LinkTree tree;
  tree.push_back({-1, 'f', {}, 25, {0.01, 0, 0.02}, {0.3, 0.9, 1.0}, 0, 0, 0});
  for (const double x : {0.35, -0.35})
    for (const double y : {0.2, -0.2}) {
      const int first = static_cast<int>(tree.size());
      Link hip = make_rod(0, 'x', {x, y, 0}, 0.1, 1.4, 0.1),
           thigh = make_rod(first, 'y', {0.06, y > 0 ? 0.1 : -0.1, 0}, 0.3, 1.6, 0.7),
           shank = make_rod(first + 1, 'y', {0.3, 0, 0}, 0.3, 0.4, -1.2);
      for (Link* link : {&hip, &thigh, &shank}) link->stiffness = 40, link->damping = 1, tree.push_back(*link);
    }
  return tree;
}

inline LinkTree make_chain50() {
  LinkTree tree;
  for (int i = 0; i < 50; ++i)
    tree.push_back(
        make_rod(i - 1, i % 2 == 0 ? 'y' : 'z', {i == 0 ? 0.0 : 0.1, 0, 0}, 0.1, 0.2, i % 2 == 0 ? 0.1 : 0.05));
  return tree;
}

inline LinkTree make_link_tree(const std::string& name) {
  if (name == "planar2r")
    return {make_rod(-1, 'y', {0, 0, 0}, 0.7, 1.3, 0.4), make_rod(0, 'y', {0.7, 0, 0}, 0.7, 1.3, -0.7)};
  if (name == "arm7") return make_arm7();
  if (name == "quadruped") return make_quadruped();
  if (name == "chain50") return make_chain50();
  throw std::invalid_argument("no tree of links is called " + name);
}

}  // namespace kane::bench
