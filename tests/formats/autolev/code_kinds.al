% ODE and algebraic and nonlinear code
VARIABLES X', Y', Z
CONSTANTS A,B,C
ZERO[1] = X' - A*(Y-X)
ZERO[2] = Y' - X*(B-Z) + Y
EQ[1] = Z^2 + X - 3
EQ2 = Z*SIN(Z) - A
X' = A*(Y-X)
Y' = B*X
OUTPUT T, X, Y
INPUT X=1,Y=2,A=3,B=4
CODE ODE(ZERO, X', Y') lor.c
CODE NONLINEAR(EQ2, Z) nl.c
CODE ALGEBRAIC(EQ2,Z) al.m
CODE ALGEBRAIC() alg.m
