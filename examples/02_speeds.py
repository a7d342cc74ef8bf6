# Any speeds you like: the same robot with the rates of the joints, the angular velocities of the links, and the velocity
# of the tip as generalized speeds.

import kane

CHOICES = {"rates of the joints": None,
           "angular velocities of the links": {"u1": "dot(omega(A), N.z)", "u2": "dot(omega(B), N.z)"},
           "velocity of the tip": {"vx": "dot(v(tip), N.x)", "vy": "dot(v(tip), N.y)"}}


def mechanism(speeds=None):
    m = kane.Mechanism("arm", gravity="-g*N.y")
    mass, L = m.parameter("m", 1.3, "kg"), m.parameter("L", 0.7, "m")
    m.parameter("g", 9.81, "m/s^2")
    A, B = m.body("A"), m.body("B")
    m.particle("elbow", mass=mass, on=A, at=[L, 0, 0])
    m.particle("tip", mass=mass, on=B, at=[L, 0, 0])
    m.revolute("j1", m.ground, A, axis="z", coordinate="q1")
    m.revolute("j2", A, B, axis="z", coordinate="q2", at=[L, 0, 0])
    m.initial(q1=0.4, q2=0.9)
    if speeds:
        m.section(speeds=speeds)
    return m


def main():
    for title, speeds in CHOICES.items():
        model = mechanism(speeds).model()
        e = model.equations()
        print(title)
        for q, rate in zip(e["q"], e["qdot"]):
            print(f"  {q}' = {rate.text()}")
        x, y, _ = model.evaluate().points["tip"]["acceleration"]
        print(f"  acceleration of the tip: {x:.6f}, {y:.6f} m/s^2")


if __name__ == "__main__":
    main()
