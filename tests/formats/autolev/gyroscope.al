%-----------
% File: gyro.al
%-----------
Newtonian N
Frames    A,B
Bodies    C
Constants R,L,G,J,I
MotionVariables' u{3}'
Variables q{3}'
Mass      C=m
Inertia   C, I, J, I
%-----------
Simprot(N,A,3,q1)
Simprot(A,B,1,q2)
Simprot(B,C,2,q3)
%-----------
q1' = u1
q2' = u2
q3' = u3
w_A_N> = q1'*N3>
w_B_A> = q2'*A1>
w_C_B> = q3'*B2>
express(w_C_N>,B)
p_No_Co> = L*B2>
v_Co_N> = dt(p_No_Co>,N)
alf_C_N> = dt(w_C_N>,N)
a_Co_N> = dt(v_Co_N>,N)
Gravity( -G*N3> )
Zero = Fr() + FrStar()
Kane()
%-----------
zSteady = Evaluate(Zero[2], u2=0, u2'=0,u1'=0,u3'=0)
Solve(zSteady, u3)
Input q2=80 deg, u1=2 rad/sec, u3 = 100 rad/sec, m=1 kg, L=.1 m, G=9.81 m/sec^2, I=.001 kg*m^2, J=.002 kg*m^2
Output t sec, q1 deg, q2 deg
Units t=sec, [u1,u2,u3]=rad/sec, G=m/sec^2
Code Dynamics() gyro.m, nosubs
Save gyro.all
Exit
