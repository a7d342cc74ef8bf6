#pragma once
// kane linearize --sweep: eigenvalues over a parameter, or over any name used in states.

#include <string>
#include <vector>

#include "apps/kane/model_source.hpp"

namespace kane {

struct RootLocusOptions {
  ModelSource source;
  std::string state;
  std::string sweep;            ///< name=begin:end:step
  std::vector<std::string> at;  ///< name=expression: initial values in terms of parameters and the swept name
  std::vector<std::string> only;
  bool equilibrium = false;  ///< find an equilibrium at every value, starting from the previous one
  bool steady = false;       ///< ... for a steady motion, with the values of `at` held
  std::string out;
  bool json = false;
};

void run_root_locus(const RootLocusOptions& options);

}  // namespace kane
