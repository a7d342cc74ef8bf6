% A thin disk that rolls without slipping on a horizontal plane.
NEWTONIAN N
FRAMES A, B
BODIES C
POINTS K
CONSTANTS M, R, G
VARIABLES Q{5}'
MOTIONVARIABLES' U{5}'
SIMPROT(N,A,3,Q1)
SIMPROT(A,B,1,Q2)
SIMPROT(B,C,2,Q3)
MASS C=M
INERTIA C, M*R^2/4, M*R^2/2, M*R^2/4
% Generalized speeds: the angular velocity in B, and the velocity of the centre in the plane.
W_C_N> = U1*B1> + U2*B2> + U3*B3>
W_B_N> = Q1'*A3> + Q2'*A1>
W_A_N> = Q1'*A3>
EQ[1] = DOT(Q1'*A3> + Q2'*A1> + Q3'*B2>, B1>) - U1
EQ[2] = DOT(Q1'*A3> + Q2'*A1> + Q3'*B2>, B2>) - U2
EQ[3] = DOT(Q1'*A3> + Q2'*A1> + Q3'*B2>, B3>) - U3
SOLVE(EQ, Q1', Q2', Q3')
P_NO_CO> = Q4*N1> + Q5*N2> - R*B3>
P_CO_K> = R*B3>
Q4' = U4
Q5' = U5
V_CO_N> = DT(P_NO_CO>,N)
V_K_N> = V_CO_N> + CROSS(W_C_N>, P_CO_K>)
DEPENDENT[1] = DOT(V_K_N>, A1>)
DEPENDENT[2] = DOT(V_K_N>, A2>)
CONSTRAIN(DEPENDENT[U4,U5])
A_CO_N> = DT(V_CO_N>,N)
ALF_C_N> = DT(W_C_N>,N)
GRAVITY(G*N3>)
ZERO = FR() + FRSTAR()
KANE()
ENERGY = KE() - M*G*DOT(P_NO_CO>,N3>)
INPUT M=2, R=0.3, G=9.81, Q1=0.2, Q2=0.1, Q3=0, Q4=0, Q5=0, U1=0.3, U2=4, U3=0.2
INPUT TFINAL=2, INTEGSTP=0.01
OUTPUT T, Q1 DEG, Q2 DEG, Q3 DEG, Q4, Q5, U1, U2, U3, ENERGY
CODE DYNAMICS() rolling_disk.c
