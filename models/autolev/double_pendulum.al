% Two particles on massless rods, swinging in a vertical plane.
% The angles are those of the rods with the vertical N1>, pointing down.
NEWTONIAN N
FRAMES A, B
POINTS O
PARTICLES P, R
CONSTANTS L{2}, M{2}, G
VARIABLES Q{2}'
MOTIONVARIABLES' U{2}'
SIMPROT(N,A,3,Q1)
SIMPROT(N,B,3,Q2)
Q1' = U1
Q2' = U2
W_A_N> = U1*A3>
W_B_N> = U2*B3>
P_O_P> = L1*A1>
P_P_R> = L2*B1>
V_O_N> = 0>
V2PTS(N,A,O,P)
V2PTS(N,B,P,R)
A_O_N> = 0>
A2PTS(N,A,O,P)
A2PTS(N,B,P,R)
MASS P=M1, R=M2
GRAVITY(G*N1>)
ZERO = FR() + FRSTAR()
KANE()
E = KE() - M1*G*DOT(P_O_P>,N1>) - M2*G*DOT(P_O_R>,N1>)
UNITS T=SEC, [Q1,Q2]=DEG, [U1,U2]=DEG/SEC, E=JOULE
INPUT L1=1, L2=0.8, M1=1, M2=0.5, G=9.81
INPUT Q1=45 DEG, Q2=30 DEG, U1=0, U2=0
INPUT TFINAL=4, INTEGSTP=0.01, PRINTINT=1, ABSERR=1.0E-09, RELERR=1.0E-09
OUTPUT T, Q1, Q2, U1, U2, E
CODE DYNAMICS() double_pendulum.c
