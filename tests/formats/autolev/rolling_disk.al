% rolling disk with motion constraints
newtonian n
bodies c
frames a,b
points cn
constants r, g
motionvariables' u{5}'
variables q{5}'
mass c=m
inertia c, j, i, j
simprot(n,a,3,q1)
simprot(a,b,1,q2)
simprot(b,c,2,q3)
w_c_n> = u1*b1>+u2*b2>+u3*b3>
q1' = u3/cos(q2)
q2' = u1
q3' = u2 - u3*tan(q2)
q4'=u4
q5'=u5
w_b_n> = u1*b1> + u3*tan(q2)*b2> + u3*b3>
p_no_co> = q4*n1>+q5*n2>+ r*b3>
p_co_cn> = -r*b3>
v_co_n> = u4*n1>+u5*n2> + dt(r*b3>,n)
v2pts(n,c,co,cn)
dependent[1] = dot(v_cn_n>,a1>)
dependent[2] = dot(v_cn_n>,a2>)
constrain(dependent[u4,u5])
alf_c_n> = dt(w_c_n>,b)+cross(w_b_n>,w_c_n>)
a_co_n> = dt(v_co_n>,n)
gravity(-g*n3>)
zero = fr()+frstar()
kane()
