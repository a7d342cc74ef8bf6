#pragma once
// Trees of links as numbers, to be built in every engine of the comparison of runs. C++17: Simbody's headers need it.

#include <algorithm>
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

/// A ball joint that closes a loop: a point of one link stays at a point of another. Closed where all angles are zero.
struct BallLoop {
  int first = 0, second = 0;
  Triple at_first{}, at_second{};
};

struct LinkTree : std::vector<Link> {
  using std::vector<Link>::vector;
  std::vector<BallLoop> loops;
};

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

/// Numbers between -1 and 1, the same in every program.
class Sequence {
 public:
  double next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state_ >> 11) * 0x1.0p-52 - 1;
  }
  int below(int n) { return static_cast<int>(0.5 * (next() + 1) * n) % n; }

 private:
  unsigned long long state_ = 2022;
};

/// A tree of links with axes and places at random, weak springs, and ball joints between links that are 7 to 14 joints apart.
inline LinkTree make_tree_with_loops(int links, int loops) {
  LinkTree tree;
  Sequence random;
  std::vector<Triple> place;
  for (int i = 0; i < links; ++i) {
    Link l;
    l.parent = i == 0 ? -1 : std::max(0, i - 1 - random.below(4));
    l.axis = "xyz"[random.below(3)];
    for (double& x : l.at) x = i == 0 ? 0 : 0.25 * random.next();
    for (double& x : l.com) x = 0.1 * random.next();
    l.mass = 1 + 0.5 * random.next(), l.inertia = {0.02, 0.025, 0.03}, l.stiffness = 5, l.damping = 0.05;
    Triple at = l.at;
    for (std::size_t k = 0; k < 3 && l.parent >= 0; ++k) at[k] += place[static_cast<std::size_t>(l.parent)][k];
    place.push_back(at);
    tree.push_back(l);
  }
  const auto joints_between = [&](int a, int b) {
    int joints = 0;
    for (; a != b; ++joints) (a > b ? a : b) = tree[static_cast<std::size_t>(std::max(a, b))].parent;
    return joints;
  };
  std::vector<bool> used(tree.size());
  while (static_cast<int>(tree.loops.size()) < loops) {
    const int a = random.below(links), b = random.below(links);
    const auto first = static_cast<std::size_t>(a), second = static_cast<std::size_t>(b);
    const int joints = joints_between(a, b);
    if (used[first] || used[second] || joints < 7 || joints > 14) continue;
    used[first] = used[second] = true;
    BallLoop loop{a, b, {}, {}};
    for (std::size_t k = 0; k < 3; ++k) {
      const double middle = 0.5 * (place[first][k] + place[second][k]);
      loop.at_first[k] = middle - place[first][k], loop.at_second[k] = middle - place[second][k];
    }
    tree.loops.push_back(loop);
  }
  return tree;
}

/// Four-bar linkages in a row: the rocker of each is the crank of the next. One degree of freedom.
inline LinkTree make_fourbars(int n) {
  LinkTree tree;
  tree.push_back({-1, 'y', {0, 0, 0}, 1, {0, 0, 0.15}, {0.03, 0.03, 0.001}, 0, 0, 0});
  int crank = 0;
  double x = 0;
  Triple pin{0, 0, 0.3};  // of the coupler in the crank
  for (int k = 0; k < n; ++k) {
    const int coupler = static_cast<int>(tree.size()), rocker = coupler + 1;
    const Triple end{0.05, 0, 0.4};  // of the coupler in the rocker
    const double next = x + 0.75;
    tree.push_back({crank, 'y', pin, 1.6, {0.4, 0, 0}, {0.001, 0.1, 0.1}, 0, 0, 0});
    tree.push_back({-1, 'y', {next, 0, 0}, 1.1, {0, 0, 0.2}, {0.04, 0.04, 0.001}, 0, 0, 0});
    tree.loops.push_back({coupler, rocker, {next + end[0] - x - pin[0], 0, end[2] - pin[2]}, end});
    crank = rocker, x = next, pin = {-0.05, 0, 0.3};
  }
  return tree;
}

inline LinkTree make_link_tree(const std::string& name) {
  if (name.rfind("loops", 0) == 0) return make_tree_with_loops(100, std::stoi(name.substr(5)));
  if (name.rfind("fourbars", 0) == 0) return make_fourbars(std::stoi(name.substr(8)));
  if (name == "planar2r")
    return {make_rod(-1, 'y', {0, 0, 0}, 0.7, 1.3, 0.4), make_rod(0, 'y', {0.7, 0, 0}, 0.7, 1.3, -0.7)};
  if (name == "arm7") return make_arm7();
  if (name == "quadruped") return make_quadruped();
  if (name == "chain50") return make_chain50();
  throw std::invalid_argument("no tree of links is called " + name);
}

}  // namespace kane::bench
