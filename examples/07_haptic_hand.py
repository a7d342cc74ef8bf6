# A haptic hand: a person holds a block by a device and pushes it against a stop. The device and the hand on it are
# simulated, and the loop runs as fast as it can.

import kane


def mechanism():
    m = kane.Mechanism("block")
    block = m.body("block", mass=0.4)
    m.prismatic("slide", m.ground, block, axis="x", coordinate="x", speed="v", damping=2, limits=[None, 0.03])
    m.contact("stop", joint="slide", restitution=0.2)
    m.section(handle={"x": {"position": "x", "stiffness": 500, "damping": 1}})
    return m


def main():
    model = mechanism().model()
    # The hand moves back and forth by 5 cm; the stop is at 3 cm.
    report = model.haptics(4, rate=1000, amplitude=0.05, frequency=0.5)
    print(f"{report.ticks} ticks, missed {report.missed}")
    print(f"constraints changed in {report.event_ticks} ticks")
    print(f"largest force on the hand: {report.axes[0]['largest_force']:.2f} N")
    print(f"block at {report.q[0]:.4f} m")


if __name__ == "__main__":
    main()
