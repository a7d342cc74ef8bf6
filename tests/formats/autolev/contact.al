% contact macros and EXPLICIT / RHS usage, nested lists
CONSTANTS K{4}, A
VARIABLES X', Y', FK{3}, FKD{3}
F1 = FK1 + K1*X
F2 = F1*FK2
F = [F1;F2;EXPLICIT(F2)]
F3 = RHS(F2)
F4 = EXPLICIT(F2, X)
FKV = [FK1,FK2,FK3];
DF = ZEE(D(F,FKV))
G1 = (X^2+1)^0.5
G2 = (X^2+1)^(-3/2)
G3 = -X^2
G4 = 2^-1
G5 = 1.0E-3*X
G6 = .5*X - 3.
L = MAX(X,0)*MIN(Y,1)
H = SIGN(X)*ABS(Y)
S = F1^2/(1+EXP(-A*X))
IFX = 0.5*(1+TANH(X/A))
ENCODE DF, F, G1
CODE ALGEBRAIC() contact.c
