#pragma once
// Internal to stiff.cpp, cvode.cpp and arkode.cpp: what SUNDIALS calls back into, and the objects it works on.

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <memory>

#include "kane/solve/stiff.hpp"

namespace kane {

struct StiffIntegrator::Problem {
  Problem(StiffIntegrator& owner, const StiffOptions& options);
  ~Problem();
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  /// The callbacks; user_data is the Problem. Their types are the same in CVODE and ARKODE.
  static int rhs(realtype t, N_Vector y, N_Vector ydot, void* problem);
  static int jacobian(realtype t, N_Vector y, N_Vector fy, SUNMatrix j, void* problem, N_Vector, N_Vector, N_Vector);
  static int weights(N_Vector y, N_Vector ewt, void* problem);
  static int correction(realtype t, N_Vector y, N_Vector corr, realtype, N_Vector, void* problem);  ///< CVODE
  static int postprocess(realtype t, N_Vector y, void* problem);                                    ///< ARKODE
  static void message(int code, const char* module, const char* function, char* text, void* problem);

  StiffIntegrator& owner;
  SUNContext context = nullptr;
  N_Vector y = nullptr;    ///< where a run begins
  N_Vector out = nullptr;  ///< where results are written
  N_Vector scratch = nullptr;
  N_Vector scratch2 = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver solver = nullptr;
  std::vector<double> rtol, atol;
  Matrix dfdy;
  bool rhs_stopped = false, rhs_failed = false, projection_failed = false;
};

}  // namespace kane
