# A pendulum in ten lines: describe it, compile it, let it swing. A small swing takes 2 pi sqrt(J / (m g l)).

import kane


def mechanism():
    m = kane.Mechanism("pendulum", gravity="-g*N.y")
    l = m.parameter("l", 0.5, "m")
    m.parameter("g", 9.81, "m/s^2")
    rod = m.body("rod", mass=2, com=[0, -l / 2, 0], inertia=[0, 0, 2 * l**2 / 12])
    m.revolute("pin", m.ground, rod, axis="z", coordinate="q", speed="u")
    return m


def main():
    run = kane.Simulation(mechanism().model(), q=0.1, tolerance=1e-10)
    for i in range(5):
        print(f"t = {run.t:.2f} s   q = {run['q']:+.6f} rad   u = {run['u']:+.6f} rad/s")
        run.advance(0.25)


if __name__ == "__main__":
    main()
