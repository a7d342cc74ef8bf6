# Contact: a ball falls on the floor and bounces, each time slower by the coefficient of restitution, until it rests. It
# bounces infinitely often in finite time, and rests after sqrt(2 h / g) (1 + e) / (1 - e).

import math

import kane

h, e, g, r = 1, 0.6, 9.81, 0.05


def mechanism():
    m = kane.Mechanism("ball", gravity=f"-{g} m/s^2*N.y")
    ball = m.body("ball", mass=0.2, geometry={"sphere": {"radius": r}})
    m.prismatic("fall", m.ground, ball, axis="y", coordinate="y", speed="v")
    m.contact("floor", sphere=ball, radius=r, plane="N.y", restitution=e)
    m.initial(y=h + r)
    return m


def main():
    run = kane.Simulation(mechanism().model(), tolerance=1e-10)
    print("  t [s]   height [m]   speed [m/s]")
    for _ in range(10):
        run.advance(0.2)
        print(f"{run.t:7.2f} {run['y'] - r:12.6f} {run['v']:13.6f}")
    print(f"it should rest from {math.sqrt(2 * h / g) * (1 + e) / (1 - e):.4f} s on")


if __name__ == "__main__":
    main()
