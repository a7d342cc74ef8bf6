newtonian n
bodies b
points p
variables q1'', x''
simprot(n,b,3,q1)
p_no_p> = x*b1>
w_b_n> = q1'*n3>
v_p_n> = dt(p_no_p>,n)
a_p_n> = dt(v_p_n>,n)
accel(B,P)
acc = [acc_b; acc_b]
da = d(acc, [q1,x])
da2 = D(acc,[q1',x'])
encode acc, da
code algebraic() acc_raw.c
