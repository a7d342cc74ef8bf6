# Linearize and control: a pole on a cart, stabilized by a feedback law that runs as a 100 Hz controller written in Python.

import numpy as np

import kane

GAINS = np.array([4.53, 48.24, 6.36, 12.52])  # of x, theta, v, w


def mechanism():
    m = kane.Mechanism("cart_pole", gravity="-g*N.y")
    l = m.parameter("l", 0.5, "m")
    m.parameter("g", 9.81, "m/s^2")
    m.input("F", 0, "N")
    cart = m.body("cart", mass=1)
    pole = m.body("pole", mass=0.2, com=[0, l, 0], inertia=[0.02, 0, 0.02])
    m.prismatic("rail", m.ground, cart, axis="x", coordinate="x", speed="v", damping=0.1, actuator="F")
    m.revolute("pivot", cart, pole, axis=[0, 0, -1], coordinate="theta", speed="w")
    return m


def main():
    model = mechanism().model()
    linear = model.linearize()
    print("states:", ", ".join(linear.states))
    print("without control:", linear.stability)
    print("with control: the slowest eigenvalue has the real part {:.2f}"
          .format(np.linalg.eigvals(linear.A + linear.B @ GAINS[None, :]).real.max()))

    def law(s):
        return GAINS @ np.concatenate([s.q, s.u])
    run = model.simulate(4, theta=0.3, inputs={"F": law}, period=0.01)
    print(f"after {run.t[-1]:.0f} s from a tilt of 0.3 rad: theta = {run['theta'][-1]:.4f}, x = {run['x'][-1]:.4f}")


if __name__ == "__main__":
    main()
