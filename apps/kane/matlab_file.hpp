#pragma once
// Columns of numbers as a MATLAB file, version 5 ("MAT-File Format", The MathWorks), which Octave and Python read, too.

#include "apps/array_files/array_files.hpp"

namespace kane {

/// Hands the bytes of the file to the sink: one column vector per name. Throws ModelError for columns of 2^28 numbers or more.
void form_matlab(const ArrayColumns& columns, const ByteSink& sink);

}  // namespace kane
