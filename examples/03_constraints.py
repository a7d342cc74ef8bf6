# Constraints and their forces: a particle on a rod, and the tension of the rod as the multiplier of its constraint.

import math

import kane


def mechanism():
    m = kane.Mechanism("bob", gravity="-g*N.y")
    mass, L = m.parameter("m", 0.5, "kg"), m.parameter("L", 1.2, "m")
    m.parameter("g", 9.81, "m/s^2")
    frame = m.body("F")
    m.general("slide", m.ground, frame, motions=[{"translate": "x", "coordinate": "x", "speed": "vx"},
                                                 {"translate": "y", "coordinate": "y", "speed": "vy"}])
    m.particle("P", mass=mass, on=frame)
    m.constraint("rod", rod=["N", "P"], length=L)
    m.initial(x=1.2, vy=-0.01)
    return m


def main():
    model = mechanism().model()
    run = kane.Simulation(model, tolerance=1e-11)
    print("   t [s]    angle [deg]   tension [N]   by energy [N]")
    for _ in range(5):
        run.advance(0.1)
        sine = -run["y"] / 1.2
        tension = abs(model.evaluate(run.state()).constraint_multipliers[0])
        by_energy = 0.5 * (1e-4 + 2 * 9.81 * 1.2 * sine) / 1.2 + 0.5 * 9.81 * sine
        print(f"{run.t:8.2f} {math.degrees(math.asin(sine)):14.4f} {tension:13.6f} {by_energy:15.6f}")


if __name__ == "__main__":
    main()
