% bicycle (rider-less) with linearization, published style
newtonian n
bodies d, e, f, c
points do1, fo1, ce, dn, fn
frames a, b
constants rf, rr, d1, d2, d3, l1, l2, l3, l4
constants id11, id22, ic11, ic22, ic33, ic31, ie11, ie22, ie33, ie31, if11, if22
variables q{8}'
motionvariables' u{8}'
specified t4, t6, t7
mass c=mc, d=md, e=me, f=mf
inertia c, ic11, ic22, ic33, 0, 0, ic31
inertia d, id11, id22, id11
inertia e, ie11, ie22, ie33, 0, 0, ie31
inertia f, if11, if22, if11
constants g
simprot(n,a,3,q3)
simprot(a,b,1,q4)
simprot(b,c,2,q5)
simprot(c,d,2,q6)
simprot(c,e,3,q7)
simprot(e,f,2,q8)
q1'=u1
q2'=u2
q3'=u3
q4'=u4
q5'=u5
q6'=u6
q7'=u7
q8'=u8
p_no_dn> = q1*n1>+q2*n2>
p_dn_do> = -rr*b3>
p_do_co> = l1*c1>+l2*c3>
p_do_ce> = d1*c1>
p_ce_fo> = d2*e3> + d3*e1>
p_ce_eo> = d3*e1>+l3*e1>+l4*e3>
g3> = unitvec(n3> - dot(e2>,n3>)*e2>)
p_fo_fn> = rf*g3>
angvel(n,a)
angvel(n,b)
angvel(n,c)
angvel(n,d)
angvel(n,e)
angvel(n,f)
v_do_n> = dt(p_no_do>, n)
v2pts(n,c,do,co)
v2pts(n,c,do,ce)
v2pts(n,e,ce,eo)
v2pts(n,e,ce,fo)
v2pts(n,f,fo,fn)
a_do_n> = dt(v_do_n>,n)
a2pts(n,c,do,co)
a2pts(n,c,do,ce)
a2pts(n,e,ce,eo)
a2pts(n,e,ce,fo)
vdn> = v_do_n> + cross(w_d_n>, rr*b3>)
dependent[1] = dot(vdn>,a1>)
dependent[2] = dot(vdn>,a2>)
dependent[3] = dot(v_fn_n>,a1>)
dependent[4] = dot(v_fn_n>,a2>)
dependent[5] = dot(v_fn_n>,a3>)
constrain(dependent[u1,u2,u3,u5,u8])
gravity(g*n3>)
torque(a/b, t4*a1>)
torque(c/d, t6*c2>)
torque(c/e, t7*c3>)
zero = fr()+frstar()
kane()
pitch = dot(p_dn_fn>, n3>)
input q4=0.001, u6=-15, q5=0.3
output q4 deg, q7 deg, u4, u6, u7
input tfinal=1
code dynamics() bike.c
