# A closed loop: a four-bar linkage. Three joints make a tree, the fourth closes it. Given initial values are held, and
# assembly finds the others near their guesses.

import kane


def mechanism():
    m = kane.Mechanism("four_bar", gravity="-9.81 m/s^2*N.y")

    def bar(name, length, mass):
        return m.body(name, mass=mass, com=[length / 2, 0, 0], inertia=[0, 0, mass * length**2 / 12])
    crank, coupler, rocker = bar("crank", 0.3, 0.8), bar("coupler", 0.9, 1.6), bar("rocker", 0.7, 1.1)
    m.revolute("O", m.ground, crank, axis="z", coordinate="q1", speed="u1")
    m.revolute("A", crank, coupler, axis="z", coordinate="q2", speed="u2", at=[0.3, 0, 0])
    m.revolute("D", m.ground, rocker, axis="z", coordinate="q3", speed="u3", at=[0.8, 0, 0])
    m.revolute("B", coupler, rocker, axis="z", at=[0.9, 0, 0], child_at=[0.7, 0, 0], close=True)
    m.initial(q1=0.5, u1=6)
    m.guess(q2=0.2, q3=1.2)  # roughly
    return m


def main():
    model = mechanism().model()
    run = kane.Simulation(model, tolerance=1e-10)

    def energy():
        at = model.evaluate(run.state())
        return at.kinetic + at.potential
    print("assembled at q = {:.6f}, {:.6f}, {:.6f}".format(*run.q))
    before = energy()
    run.advance(2)
    print("after 2 s q = {:.6f}, {:.6f}, {:.6f}".format(*run.q))
    print("energy kept to", "8 digits" if abs(energy() / before - 1) < 1e-8 else "fewer digits than expected")


if __name__ == "__main__":
    main()
