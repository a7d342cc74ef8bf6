% Whipple's bicycle: rear frame C with a rigid rider, rear wheel D, front frame E, front wheel F, rolling on a plane.
% N1> points forward, N2> to the right, N3> down. Parameters of Meijaard, Papadopoulos, Ruina and Schwab (2007).
AUTOZ ON
NEWTONIAN N
FRAMES A, B
BODIES C, D, E, F
POINTS DN, FN, S
CONSTANTS W, TRAIL, LAMBDA, G, RR, RF
CONSTANTS XB, ZB, XH, ZH
SPECIFIED TPHI, TDELTA
VARIABLES Q{8}'
MOTIONVARIABLES' U{8}'
MASS C=MB, D=MR, E=MH, F=MF
INERTIA D, IRXX, IRYY, IRXX
INERTIA F, IFXX, IFYY, IFXX
% Yaw, roll, pitch; the rear wheel; the steering about an axis that is tilted by LAMBDA; the front wheel.
FRAMES CS, ES
SIMPROT(N,A,3,Q3)
SIMPROT(A,B,1,Q4)
SIMPROT(B,C,2,Q5)
SIMPROT(C,D,2,Q6)
SIMPROT(C,CS,2,LAMBDA)
SIMPROT(CS,ES,3,Q7)
SIMPROT(ES,E,2,-LAMBDA)
SIMPROT(E,F,2,Q8)
INERTIA C, IBXX, IBYY, IBZZ, 0, 0, IBXZ
INERTIA E, IHXX, IHYY, IHZZ, 0, 0, IHXZ
% Points, from the rear contact; S lies on the steer axis where it meets the ground.
P_NO_DN> = Q1*N1> + Q2*N2>
P_DN_DO> = -RR*B3>
P_DO_CO> = XB*C1> + (ZB+RR)*C3>
P_DO_S> = (W+TRAIL)*C1> + RR*C3>
P_S_EO> = (XH-W-TRAIL)*E1> + ZH*E3>
P_S_FO> = -TRAIL*E1> - RF*E3>
P_FO_FN> = RF*UNITVEC(N3> - DOT(E2>,N3>)*E2>)
Q1' = U1
Q2' = U2
Q3' = U3
Q4' = U4
Q5' = U5
Q6' = U6
Q7' = U7
Q8' = U8
V_DO_N> = DT(P_NO_DO>,N)
V2PTS(N,C,DO,CO)
V2PTS(N,C,DO,S)
V2PTS(N,E,S,EO)
V2PTS(N,E,S,FO)
V_DN_N> = V_DO_N> + CROSS(W_D_N>, P_DO_DN>)
V_FN_N> = V_FO_N> + CROSS(W_F_N>, P_FO_FN>)
% Rolling without slip of both wheels, and the pitch angle that keeps the front wheel on the ground.
HEIGHT = DOT(P_DN_FN>,N3>)
DEPENDENT[1] = DOT(V_DN_N>,A1>)
DEPENDENT[2] = DOT(V_DN_N>,A2>)
DEPENDENT[3] = DOT(V_FN_N>,A1>)
DEPENDENT[4] = DOT(V_FN_N>,A2>)
DEPENDENT[5] = DT(HEIGHT)
CONSTRAIN(DEPENDENT[U1,U2,U3,U5,U8])
GRAVITY(G*N3>)
TORQUE(C, TPHI*A1>)
TORQUE(C/E, TDELTA*CS3>)
ZERO = FR() + FRSTAR()
SOLVE(ZERO, U4', U6', U7')
ENERGY = KE() - MB*G*DOT(P_NO_CO>,N3>) - MR*G*DOT(P_NO_DO>,N3>) - MH*G*DOT(P_NO_EO>,N3>) - MF*G*DOT(P_NO_FO>,N3>)
INPUT W=1.02, TRAIL=0.08, LAMBDA=18 DEG, G=9.81, RR=0.3, RF=0.35
INPUT XB=0.3, ZB=-0.9, XH=0.9, ZH=-0.7, MB=85, MR=2, MH=4, MF=3
INPUT IRXX=0.0603, IRYY=0.12, IFXX=0.1405, IFYY=0.28
INPUT IBXX=9.2, IBYY=11, IBZZ=2.8, IBXZ=2.4, IHXX=0.05892, IHYY=0.06, IHZZ=0.00708, IHXZ=-0.00756
INPUT U4=0.5, U6=-15.333333333333334, U7=0
INPUT TFINAL=1, INTEGSTP=0.01, RELERR=1.0E-10
OUTPUT T, Q4 DEG, Q7 DEG, U4, U6, U7, HEIGHT, ENERGY
CODE DYNAMICS() bicycle.c
