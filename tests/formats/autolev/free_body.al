% spacecraft with euler parameters
newtonian n
bodies b
variables e{4}', x{3}'
motionvariables' w{3}', v{3}'
constants i{3}
mass b=mb
inertia b,i1,i2,i3
dircos(n,b,euler,e1,e2,e3,e4)
w_b_n> = w1*b1>+w2*b2>+w3*b3>
kindiffs(n,b,euler,e1,e2,e3,e4)
p_no_bo> = x1*n1>+x2*n2>+x3*n3>
v_bo_n> = v1*n1>+v2*n2>+v3*n3>
x1'=v1
x2'=v2
x3'=v3
alf_b_n> = dt(w_b_n>,n)
a_bo_n> = dt(v_bo_n>,n)
specified tq{3}
torque_b> = tq1*b1>+tq2*b2>+tq3*b3>
zero = fr()+frstar()
kane()
h> = momentum(angular,bo)
p> = momentum(linear)
hm = mag(h>)
nic = nicheck()
encode hm
output t,e1,e2,e3,e4,hm
code dynamics() sc.f
