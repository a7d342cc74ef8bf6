#pragma once
// kane linearize --sweep: eigenvalues over a parameter, as a table and as a file.

#include <string>

#include "kane/analysis/root_locus.hpp"

namespace kane {

void print_root_locus(const RootLocus& locus, const Model& model);
/// FILE.csv, FILE.h5 or FILE.mat: the parameter, then re1, im1, re2, ...
void write_root_locus(const std::string& file, const RootLocus& locus);

}  // namespace kane
