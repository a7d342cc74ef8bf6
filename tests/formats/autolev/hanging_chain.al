% static equilibrium nonlinear
newtonian n
particles p, q
constants l1, l2, w1, w2, h
variables th1, th2
frames a, b
simprot(n,a,3,th1)
simprot(n,b,3,th2)
p_no_p> = l1*a1>
p_p_q> = l2*b1>
motionvariables u1, u2
w_a_n> = u1*n3>
w_b_n> = u2*n3>
v_no_n> = 0>
v2pts(n,a,no,p)
v2pts(n,b,p,q)
force(p, w1*n1>)
force(q, w2*n1> + h*n2>)
zero = fr()
input l1=1,l2=1,w1=1,w2=2,h=3,th1=45 deg,th2=50 deg
code nonlinear(zero, th1, th2) stat.c
output th1 deg, th2 deg
