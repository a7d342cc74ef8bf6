# Batches with SIMD: 64 pendulums of different lengths swing at once. model.compile() gives their motion as one function of
# many states, which works on as many of them as the processor's registers hold.

import numpy as np

import kane


def mechanism():
    m = kane.Mechanism("pendulum", gravity="-g*N.y")
    l = m.parameter("l", 1, "m")
    m.parameter("g", 9.81, "m/s^2")
    bob = m.body("bob")
    m.particle("P", mass=1, on=bob, at=[0, -l, 0])
    m.revolute("pin", m.ground, bob, axis="z", coordinate="q", speed="u")
    return m


def swing(f, lengths):
    """Angles after 1 s by the Runge-Kutta method."""
    p = np.tile(f.p, (len(lengths), 1))
    p[:, f.parameters.index("l")] = lengths
    y, h = np.tile([1.0, 0.0], (len(lengths), 1)), 1e-3
    for _ in range(1000):
        k1 = f(y, p=p)
        k2 = f(y + 0.5 * h * k1, p=p)
        k3 = f(y + 0.5 * h * k2, p=p)
        k4 = f(y + h * k3, p=p)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y[:, 0]


def main():
    f = mechanism().model().compile()
    lengths = 0.5 + 0.01 * np.arange(64)
    many = swing(f, lengths)
    one = np.array([swing(f, lengths[i:i + 1])[0] for i in (0, 63)])
    print(f"l = 0.50 m: q(1 s) = {many[0]:+.9f} rad")
    print(f"l = 1.13 m: q(1 s) = {many[-1]:+.9f} rad")
    print("lanes agree with single states:", "yes" if abs(one - many[[0, 63]]).max() < 1e-12 else "no")


if __name__ == "__main__":
    main()
