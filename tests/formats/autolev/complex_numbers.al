% imaginary, complex eigen, frequency response
COMPLEX ON
IMAGINARY i
CONSTANTS M,C,K,W
VARIABLES X
H = 1/(-M*W^2 + i*C*W + K)
Z = (1+2*i)*(3-i)
MAGZ = ABS(Z)
A = [0,1;-2,-3]
EIG(A,LAM,VV)
P = ROOTS([1,2,5])
D1 = DET(A)
