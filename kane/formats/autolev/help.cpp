// How each statement and command is written, for messages and the prompt.

#include <map>

#include "kane/formats/autolev/session.hpp"

namespace kane::autolev {

namespace {

const std::map<std::string, std::string, std::less<>>& help_table() {
  static const std::map<std::string, std::string, std::less<>> table{
      {"NEWTONIAN",
       "NEWTONIAN N                        the inertial frame, its unit vectors N1> N2> N3> and the point No"},
      {"FRAMES", "FRAMES A, B                        frames without mass"},
      {"BODIES", "BODIES A, B                        rigid bodies: frame A, mass centre Ao"},
      {"PARTICLES", "PARTICLES P{2}                     points with mass"},
      {"POINTS", "POINTS O, Q                        points"},
      {"CONSTANTS",
       "CONSTANTS L, G=9.81, M+            constants, with values or signs if known; CONSTANTS+ L,M for all"},
      {"VARIABLES", "VARIABLES Q{3}', X''               variables; primes are the derivatives that exist"},
      {"MOTIONVARIABLES", "MOTIONVARIABLES' U{3}'             generalized speeds; without the first ' for statics"},
      {"SPECIFIED", "SPECIFIED F, X''=SIN(T)            quantities given as functions of time, or left open"},
      {"IMAGINARY", "IMAGINARY I                        the name of the imaginary unit"},
      {"MASS", "MASS A=MA, P=M=2                   masses; MASS() and MASS(A,P) add them up"},
      {"INERTIA",
       "INERTIA B,I1,I2,I3[,I12,I23,I31]   about Bo; INERTIA B(A),... in A's basis; INERTIA B_P(A),... about P"},
      {"SIMPROT", "SIMPROT(A,B,3,Q)                   B turns by Q about axis 3 of A (or -3, or a vector)"},
      {"DIRCOS", "DIRCOS(A,B,BODY123,Q1,Q2,Q3)       also SPACE..., EULER,E1,E2,E3,E4 and RODRIGUES,R1,R2,R3"},
      {"ANGVEL", "ANGVEL(A,B)                        angular velocity W_B_A> from the orientation"},
      {"KINDIFFS", "KINDIFFS(A,B,BODY123,Q1,Q2,Q3)     Q1', Q2', Q3' from W_B_A>"},
      {"V2PTS", "V2PTS(N,B,P,Q)                     V_Q_N> from V_P_N>; P and Q are fixed in B"},
      {"V1PT", "V1PT(N,B,P,Q)                      V_Q_N> from V_P_N> and V_Q_B>; P is fixed in B"},
      {"A2PTS", "A2PTS(N,B,P,Q)                     A_Q_N> from A_P_N>; P and Q are fixed in B"},
      {"A1PT", "A1PT(N,B,P,Q)                      A_Q_N> from A_P_N>, V_Q_B> and A_Q_B>; P is fixed in B"},
      {"DT", "DT(E), DT(V>,N)                    derivative with respect to time, of a vector in a frame"},
      {"D", "D(E,X), D(V>,X,N), D([E;F],[X,Y])  partial derivative, and matrices of them"},
      {"EXPRESS", "EXPRESS(V>,A)                      the same vector in the basis of A"},
      {"DOT", "DOT(V>,W>), DOT(I>>,V>)            scalar product"},
      {"CROSS", "CROSS(V>,W>)                       vector product"},
      {"MAG", "MAG(V>)                            length"},
      {"UNITVEC", "UNITVEC(V>)                        direction"},
      {"VECTOR", "VECTOR(A,X,Y,Z)                    X*A1> + Y*A2> + Z*A3>"},
      {"MATRIX", "MATRIX(A,I>>)                      components in the basis of A"},
      {"PARTIALS", "PARTIALS(V>,U1[,U2])               partial velocities"},
      {"GRAVITY", "GRAVITY(G*N3>[,A,B])               M*G at every mass centre and particle, or those named"},
      {"FORCE", "FORCE(P,V>), FORCE(P/Q,V>)         V> on P; V> on Q and -V> on P"},
      {"TORQUE", "TORQUE(A,V>), TORQUE(A/B,V>)       V> on A; V> on B and -V> on A"},
      {"FR", "FR()                               generalized active forces, one row for each motion variable"},
      {"FRSTAR", "FRSTAR()                           generalized inertia forces"},
      {"CONSTRAIN",
       "CONSTRAIN(DEPENDENT[U2,U3])        DEPENDENT = 0 solved for U2, U3; CONSTRAIN(AUXILIARY[U4]) keeps U4's row"},
      {"DEPENDENT",
       "DEPENDENT[1] = DOT(V_P_N>,N1>)     what a motion constraint makes zero; then CONSTRAIN(DEPENDENT[U2])"},
      {"AUXILIARY",
       "AUXILIARY[1] = U4                  a speed that is zero, kept for a force; then CONSTRAIN(AUXILIARY[U4]), "
       "KANE(F)"},
      {"KANE",
       "KANE(), KANE(F1,F2)                ZERO = 0 solved for the derivatives of the motion variables, and F1, F2"},
      {"SOLVE", "SOLVE(EQ,X,Y)                      linear equations EQ = 0 solved for X, Y"},
      {"KE", "KE([A,B])                          kinetic energy"},
      {"MOMENTUM", "MOMENTUM(LINEAR), MOMENTUM(ANGULAR,P)   of all bodies, or of those named after that"},
      {"GYROSTAT",
       "GYROSTAT(A,B[,C])                  B, C are rotors in A; GYROSTAT(ANGMOM,CYLINDER,A,B,J), also KE and FRSTAR"},
      {"NICHECK",
       "NICHECK()                          kinetic energy minus work done: constant if the integration is good"},
      {"CM", "CM(O[,A,B])                        position of the mass centre from O"},
      {"EXPLICIT", "EXPLICIT(E[,[X,Y]])                definitions put in; alone on a line, in place"},
      {"EXPAND", "EXPAND(E)                          another way to write the same value"},
      {"FACTOR", "FACTOR(E,X)                        another way to write the same value"},
      {"ARRANGE", "ARRANGE(E,N,X)                     another way to write the same value"},
      {"RECOMBINE", "RECOMBINE(E)                       another way to write the same value"},
      {"COEF", "COEF(E,X), COEF([E;F],[X,Y])       coefficients"},
      {"INCLUDE", "INCLUDE(E,X)                       the terms with X"},
      {"EXCLUDE", "EXCLUDE(E,X)                       the terms without X"},
      {"REPLACE", "REPLACE(E,X=A,SIN(X)=B)            parts of an expression replaced"},
      {"EVALUATE",
       "EVALUATE(E,X=1,Y=Z)                explicit, with values put in (those of INPUT, if none are given)"},
      {"TAYLOR", "TAYLOR(E,0:2,X=0,Y=0:DY)           terms of these orders about X=0, Y=0"},
      {"POLYNOMIAL", "POLYNOMIAL([A,B,C],X)              A*X^2 + B*X + C; POLYNOMIAL(E,X,N) gives the coefficients"},
      {"ROOTS", "ROOTS(E,X,N), ROOTS([A,B,C])       roots of a polynomial"},
      {"EIG", "EIG(M), EIG(M,VALUES,VECTORS)      eigenvalues"},
      {"DET", "DET(M)                             determinant"},
      {"INV", "INV(M)                             inverse"},
      {"INVERSE", "INVERSE(M)                         inverse"},
      {"TRACE", "TRACE(M)                           sum of the diagonal"},
      {"TRANSPOSE", "TRANSPOSE(M)                       rows and columns exchanged"},
      {"DIAGMAT", "DIAGMAT(N,X), DIAGMAT(N,M,X)       X on the diagonal"},
      {"ROWS", "ROWS(M), ROWS(M,1,2:4)             number of rows, or rows"},
      {"COLS", "COLS(M), COLS(M,1,2:4)             number of columns, or columns"},
      {"ELEMENT", "ELEMENT(M,I,J)                     an element"},
      {"EPSILON", "EPSILON(E,X)                       numbers smaller than X become 0"},
      {"RHS", "RHS(X)                             what X is defined as"},
      {"ZEE", "ZEE(E)                             as E: intermediate names cost nothing here"},
      {"UNITS", "UNITS Q1=DEG,[A,B]=M               units of names; UNITS(DEG,RAD) is a factor"},
      {"UNITSYSTEM", "UNITSYSTEM KG,METER,SEC            the units that numbers without one are in"},
      {"INPUT", "INPUT Q1=30 DEG, M=2 KG, TFINAL=5  values; also TINITIAL INTEGSTP PRINTINT ABSERR RELERR"},
      {"OUTPUT", "OUTPUT T SEC, Q1 DEG, M            the columns of a file"},
      {"ENCODE", "ENCODE A,B                         computed, without a column"},
      {"CODE", "CODE DYNAMICS() FILE.C             also ODE(EQ,X'), ALGEBRAIC(EQ,X), NONLINEAR(EQ,X); .c .f .for .m"},
      {"DYNAMICS", "CODE DYNAMICS() FILE.C             a program that integrates the equations of KANE"},
      {"ODE", "CODE ODE(EQ,X',Y') FILE.C          a program that integrates EQ = 0, solved for X', Y'"},
      {"ALGEBRAIC",
       "CODE ALGEBRAIC(EQ,X,Y) FILE.C      linear equations and outputs; [Q DEG=0,90,1] before the file sweeps"},
      {"NONLINEAR", "CODE NONLINEAR(EQ,X=1,Y=2) FILE.C  equations solved from these values"},
      {"RUN", "RUN FILE.AL                        runs another script beneath this one's folder"},
      {"SAVE", "SAVE FILE.ALL                      writes the log"},
      {"AUTOZ", "AUTOZ ON|OFF                       intermediate names; expressions are shared in any case"},
      {"AUTORHS", "AUTORHS ON|OFF|ALL                 names are replaced by what they are defined as"},
      {"DEGREES", "DEGREES ON|OFF                     bare numbers as angles of SIMPROT and DIRCOS are degrees"},
      {"COMPLEX", "COMPLEX ON|OFF|AUTO                complex roots and eigenvalues"},
      {"FACTORING", "FACTORING ON|OFF                   how results are written"},
      {"AUTOEXPRESS", "AUTOEXPRESS ON|OFF                 how vectors are written"},
      {"AUTOEPSILON", "AUTOEPSILON X                      numbers smaller than X become 0"},
      {"DIGITS", "DIGITS N                           digits of numbers that are printed"},
      {"OVERWRITE", "OVERWRITE ON|OFF|ALL               names may be assigned again"},
      {"ANIMATE", "ANIMATE(N,O,A,B)                   read; a page of the motion is made by kane simulate --report"},
      {"EXIT", "EXIT                               ends the script"},
  };
  return table;
}

}  // namespace

std::string help_text(std::string_view word) {
  std::string key = folded(word);
  static const std::map<std::string, std::string, std::less<>> others{{"FRAME", "FRAMES"},
                                                                      {"BODY", "BODIES"},
                                                                      {"PARTICLE", "PARTICLES"},
                                                                      {"POINT", "POINTS"},
                                                                      {"CONSTANT", "CONSTANTS"},
                                                                      {"VARIABLE", "VARIABLES"},
                                                                      {"MOTIONVARIABLE", "MOTIONVARIABLES"},
                                                                      {"V2PT", "V2PTS"},
                                                                      {"A2PT", "A2PTS"},
                                                                      {"V1PTS", "V1PT"},
                                                                      {"A1PTS", "A1PT"},
                                                                      {"EULER", "DIRCOS"},
                                                                      {"RODRIGUES", "DIRCOS"},
                                                                      {"TINITIAL", "INPUT"},
                                                                      {"TFINAL", "INPUT"},
                                                                      {"INTEGSTP", "INPUT"},
                                                                      {"PRINTINT", "INPUT"},
                                                                      {"ABSERR", "INPUT"},
                                                                      {"RELERR", "INPUT"},
                                                                      {"QUIT", "EXIT"},
                                                                      {"STOP", "EXIT"}};
  if (const auto other = others.find(key); other != others.end()) key = other->second;
  const auto found = help_table().find(key);
  if (found != help_table().end()) return found->second;
  for (const char* f : {"SIN",   "COS",  "TAN", "ASIN", "ACOS", "ATAN", "SINH",  "COSH", "TANH",  "EXP",      "LOG",
                        "LOG10", "SQRT", "SQR", "ABS",  "SIGN", "INT",  "ROUND", "CEIL", "FLOOR", "FACTORIAL"})
    if (key == f) return key + "(X)";
  if (key == "ATAN2") return "ATAN2(Y,X)";
  if (key == "MAX" || key == "MIN") return key + "(X,Y,...)";
  return "";
}

}  // namespace kane::autolev
