# Your own joint and your own load: a knee whose centre of rotation moves along a curve, a muscle that follows a measured
# curve, and a drag that grows with the square of the speed.

import kane


def mechanism():
    m = kane.Mechanism("leg", gravity="-9.81 m/s^2*N.y")
    thigh = m.body("thigh", mass=7, com=[0, -0.2, 0], inertia=[0.1, 0.02, 0.1])
    shank = m.body("shank", mass=3.5, com=[0, -0.18, 0], inertia=[0.05, 0.005, 0.05])
    m.weld("hip", m.ground, thigh)  # the thigh is fixed
    m.general("knee", thigh, shank, at=[0, -0.42, 0],
              motions=[{"translate": "x", "coordinate": "slide", "speed": "v_slide"},
                       {"rotate": "z", "coordinate": "angle", "speed": "w"}])
    m.constraint("wander", configuration="slide - 0.008*(1 - cos(angle))")
    m.table("muscle", x=[-0.5, 0, 0.5, 1, 1.5], y=[0, 6, 12, 9, 4], interpolation="monotone")
    m.load("extensor", law="muscle(angle)", joint="knee", coordinate="angle")
    m.load("drag", law="-0.3*w*abs(w)", joint="knee", coordinate="angle")
    m.output("centre", "slide")
    return m


def main():
    run = kane.Simulation(mechanism().model(), tolerance=1e-10)
    print("  t [s]   angle [rad]   centre [mm]")
    for _ in range(6):
        run.advance(0.2)
        print(f"{run.t:7.1f} {run['angle']:13.6f} {1000 * run['centre']:13.4f}")


if __name__ == "__main__":
    main()
