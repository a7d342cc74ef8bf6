#pragma once
// Breaks long expressions into readable pieces: common and large parts are named Z1, Z2, ... in the order they are
// needed, as AUTOLEV does.

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kane/expr/graph.hpp"

namespace kane {

class Abbreviations {
 public:
  struct Definition {
    std::string name;
    Expr value;  ///< in scratch_graph(), written with earlier names
  };

  explicit Abbreviations(std::string prefix = "Z", std::size_t max_size = 24);

  /// The expressions in terms of names; new definitions are appended to definitions(). Parts met before keep their
  /// names.
  std::vector<Expr> shorten(std::span<const Expr> es);

  [[nodiscard]] const std::vector<Definition>& definitions() const { return definitions_; }

 private:
  std::string prefix_;
  std::size_t max_size_;
  std::unique_ptr<Graph> scratch_;
  std::vector<Definition> definitions_;
  std::unordered_map<NodeId, std::pair<Expr, std::size_t>> known_;  ///< scratch expression and its size as a tree
};

}  // namespace kane
