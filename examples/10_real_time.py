# A fixed-rate loop: a cart follows a target, 1000 ticks a second. A tick does a bounded amount of work; Python itself gives no
# guarantee of its time, so programs that need one embed the library (the C++ version of this lesson).

import math
import time

import kane


def mechanism():
    m = kane.Mechanism("cart")
    m.input("F", 0, "N")
    cart = m.body("cart", mass=2)
    m.prismatic("rail", m.ground, cart, axis="x", coordinate="x", speed="v", limits=[-0.2, 0.2],
                actuator="F")
    m.contact("ends", joint="rail", restitution=0.3)
    return m


def main():
    plant = kane.Ticks(mechanism().model(), period=1e-3)
    deadline = time.perf_counter()
    for _ in range(500):
        t, x, v = plant.t, plant.q[0], plant.u[0]
        plant.set(F=800 * (0.1 * math.sin(8 * t) - x) + 120 * (0.8 * math.cos(8 * t) - v))
        plant.tick()
        deadline += 1e-3
        time.sleep(max(0, deadline - time.perf_counter()))
    print(f"t = {plant.t:.3f} s, x = {plant.q[0]:.6f} m, target {0.1 * math.sin(8 * plant.t):.6f} m")


if __name__ == "__main__":
    main()
