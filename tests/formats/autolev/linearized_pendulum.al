% linearization as in bicycle scripts
newtonian n
bodies a
constants l, g, m, i, c
variables q1', q9, q10
motionvariables' u1'
specified T4
mass a=m
inertia a,0,0,i
simprot(n,a,3,q1)
q1'=u1
w_a_n> = u1*a3>
alf_a_n>=dt(w_a_n>,n)
p_no_ao>=l*a1>
v_ao_n>=dt(p_no_ao>,n)
a_ao_n>=dt(v_ao_n>,n)
gravity(g*n1>)
torque(n/a,T4*n3>)
zero=fr()+frstar()
solve(zero,u1')
q9 = dot(p_no_ao>,n1>)
aMat[1,1]=d(q1',q1)
aMat[1,2]=d(q1',u1)
aMat[2,1]=d(u1',q1)
aMat[2,2]=d(u1',u1)
bMat[1,1]=d(q1',T4)
bMat[2,1]=d(u1',T4)
cMat[1,1]=d(q9,q1)
encode aMat,bMat,cMat
Input i = (1/12)*(1.23E-3)*(20E-6)^2 kg*m^2, c=2*sqrt(4), l=15/180*pi rad
input q1=0.0 rad
output q1 deg,u1 rad/s
code dynamics() w.c
encode aMat
code dynamics() w.m
code algebraic() wa.m
UNITS G=M/S^2, M=KG, I=KG.M^2, C=N/M/S
save w.all
