// Mechanisms drawn with the mouse move as the same ones written by hand, in other coordinates.

import assert from "node:assert";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";

// A bar of 40 mm by 40 mm, as the drawing makes them: 1 kg for each metre, to two digits.
const bar = (mass, length) => `{mass: ${mass}, com: [${length}/2, 0, 0], inertia: [1, 1, ${mass}*(${length}^2 + 0.04^2)/12], points: {end: [${length}, 0, 0]}}`;
const PENDULUM = `kane: 1
gravity: [0, -9.81 m/s^2, 0]
bodies:
  upper: ${bar(0.5, 0.5)}
  lower: ${bar(0.5, 0.5)}
joints:
  a: {type: revolute, parent: N, child: upper, axis: z, coordinate: a}
  b: {type: revolute, parent: upper, at: end, child: lower, rotation_from: N, axis: z, coordinate: b}
initial: {a: 0, b: "-atan2(0.4, 0.3)"}
`;
const FOURBAR = `kane: 1
gravity: [0, -9.81 m/s^2, 0]
bodies:
  crank: ${bar(0.32, "sqrt(0.1)")}
  coupler: ${bar(0.76, "sqrt(0.58)")}
  rocker: ${bar(0.6, 0.6)}
joints:
  a: {type: revolute, parent: N, child: crank, axis: z, coordinate: a}
  b: {type: revolute, parent: crank, at: end, child: coupler, rotation_from: N, axis: z, coordinate: b}
  c: {type: revolute, parent: N, at: [0.8, 0, 0], child: rocker, axis: z, coordinate: c}
constraints:
  loop: {point: coupler.end, reference: rocker.end, directions: [N.x, N.y]}
initial: {a: "atan2(0.3, 0.1)", b: "atan2(0.3, 0.7)", c: 90 deg}
`;

export async function drawing(browser, { kane, scratch, serve, until, rest, write, models, shots }) {
  const server = await serve(models), page = await (await browser.newContext({ viewport: { width: 1280, height: 720 } })).newPage(), errors = [];
  page.on("pageerror", (e) => errors.push(String(e)));
  await page.goto(server.url);
  await until(page, "window.kane?.workspace.history?.count > 3", "the workbench moves");
  const place = ([x, y]) => page.evaluate(`(() => { const d = kane.drawing, b = d.sheet.getBoundingClientRect(), s = d.toScreen([${x}, ${y}]); return [b.left + s[0], b.top + s[1]]; })()`);
  const tool = (name) => page.click(`.drawtools [data-tool=${name}]`), text = () => page.evaluate("kane.editor.text");
  // The mouse misses by a few pixels; the grid and the ends of bars draw it in.
  const drag = async (a, b) => {
    const from = await place(a), to = await place(b);
    await page.mouse.move(from[0] + 3, from[1] - 2);
    await page.mouse.down();
    await page.mouse.move(to[0] - 3, to[1] + 2, { steps: 4 });
    await page.mouse.up();
  };
  const shot = (name) => (shots ? page.screenshot({ path: `${shots}/${name}.png` }) : null);
  const click = async (p) => { const [x, y] = await place(p); await page.mouse.click(x + 2, y + 3); };
  let files = 0;
  /// Names of the columns, and the last row.
  const table = (model, end) => {
    const file = path.join(scratch, `drawn_${++files}.yaml`);
    writeFileSync(file, model);
    const rows = String(execFileSync(kane, ["simulate", file, "--until", String(end), "--tolerance", "1e-11", "--out", "-", "--quiet"])).trim().split("\n").map((row) => row.split(",").slice(1));
    return [rows[0], rows[rows.length - 1].map(Number)];
  };
  const last = (model, end) => table(model, end)[1];
  const near = (got, expected, tolerance, what) => assert.ok(Math.abs(got - expected) < tolerance, `${what}: ${got}, not ${expected}`);

  // A double pendulum.
  await page.click("#draw");
  await tool("bar");
  await drag([0, 0], [0.5, 0]);
  await drag([0.5, 0], [0.8, -0.4]);
  await tool("pin");
  await click([0, 0]);
  await click([0.5, 0]);
  await until(page, "kane.engine.info.coordinates.join() === 'q1,q2' && kane.workspace.time > 1", "the drawing moves");
  const drawn = await text(), tilt = Math.atan2(0.4, 0.3);
  {
    const [q1, q2, u1, u2] = last(drawn, 1), [a, b, ua, ub] = last(PENDULUM, 1);
    near(q1, a, 1e-7, "q1");
    near(q1 + q2 - tilt, b, 1e-7, "q2");
    near(u1, ua, 1e-6, "u1");
    near(u1 + u2, ub, 1e-6, "u2");
  }
  // The run in the page is the same motion; of long runs small differences grow, so it is a sample of the first second or so.
  // A machine may give few samples, so it is the one nearest to 1 s.
  await rest(page);
  const { t, state } = await page.evaluate("(() => { const h = kane.workspace.history, far = (i) => Math.abs(h.times[i] - 1), i = [...h.times.keys()].reduce((a, b) => (far(b) < far(a) ? b : a)); return { t: h.times[i], state: [...h.state(i)] }; })()");
  assert.ok(t > 0.05 && t < 2, `a sample near 1 s, not ${t} s`);
  const hand = last(PENDULUM, t);
  near(state[0], hand[0], 1e-3, `q1 in the page at ${t} s`);
  near(state[0] + state[1] - tilt, hand[1], 1e-3, `q2 in the page at ${t} s`);
  await page.evaluate("kane.workspace.setPlaying(true)");

  // A point that is dragged rewrites its numbers, and nothing else; what is written by hand moves the drawing.
  await page.click("#lefttabs button:has-text('Text')");
  await write(page, drawn.replace("end: [0.3, -0.4, 0]}}", "end: [0.3, -0.5, 0]}}   # mine"));
  await page.click("#lefttabs button:has-text('Draw')");
  await until(page, "Math.abs(kane.drawing.drawing.body('bar2').b[1] + 0.5) < 1e-9", "the drawing follows the text");
  await tool("select");
  await drag([0.5, 0], [0.4, 0.1]);
  const moved = await text();
  assert.ok(/ {2}bar2: .*end: \[0\.4, -0\.6, 0\]\}\} {3}# mine/.test(moved), moved);
  assert.ok(moved.includes("end: [0.4, 0.1, 0]") && moved.includes("pin2: {type: revolute, parent: bar1, at: [0.4, 0.1, 0]"), moved);
  await page.click("#undo");
  assert.ok((await text()).includes("end: [0.5, 0, 0]"), "undone");
  // The properties of what is selected.
  await click([0.25, 0]);
  await page.fill(".properties input[aria-label=mass]", "2 kg");
  await page.press(".properties input[aria-label=mass]", "Enter");
  assert.ok((await text()).includes("bar1: {mass: 2 kg,"), "the mass is written");
  // A reload keeps it.
  const kept = await text();
  await page.reload();
  await until(page, "window.kane?.workspace.history?.count > 3 && kane.engine.info.name === 'drawing'", "it moves after a reload");
  assert.equal(await text(), kept);

  // A four-bar, a closed loop.
  await page.click("#draw");
  await page.click("#newdrawing");
  await tool("bar");
  await drag([0, 0], [0.1, 0.3]);
  await drag([0.1, 0.3], [0.8, 0.6]);
  await drag([0.8, 0.6], [0.8, 0]);
  await tool("pin");
  for (const p of [[0, 0], [0.1, 0.3], [0.8, 0.6], [0.8, 0]]) await click(p);
  await until(page, "kane.engine.info.coordinates.length === 3 && kane.engine.residual !== null && kane.workspace.time > 0.2", "the four-bar moves");
  const angle = last(await text(), 0.5)[0], expected = last(FOURBAR, 0.5)[0];
  assert.ok(Math.abs(angle) > 0.1, "the crank turns");
  near(angle + Math.atan2(0.3, 0.1), expected, 1e-6, "crank");

  // Everything else that can be drawn, on one sheet.
  await page.click("#newdrawing");
  await tool("box");
  await drag([-0.2, -0.1], [0.2, 0.1]);
  await tool("slider");
  await drag([0, 0], [0.3, 0]);
  await tool("spring");
  await drag([0.2, 0], [0.7, 0]);
  await tool("damper");
  await drag([-0.2, 0], [-0.7, 0]);
  await tool("motor");
  await click([0, 0]);
  await tool("disk");
  await drag([0, -0.6], [0.2, -0.6]);
  await tool("slot");
  await drag([0, -0.6], [0.2, -0.6]);
  await tool("bar");
  await drag([0, -0.6], [0, -1]);
  await tool("weld");
  await click([0, -0.6]);
  await until(page, "kane.engine.info.inputs.some((i) => i.name === 'T1') && kane.engine.info.coordinates.length === 3 && kane.workspace.time > 0.3", "it moves");
  assert.equal(await page.isVisible(".editor .message"), false);
  // The mass on a spring and a damper under a constant force: m x'' = F - k x - c x', both at their rest length along x.
  const sheet = await text(), m = Number(/box1: \{mass: ([\d.]+) kg/.exec(sheet)[1]), end = 0.4, w = Math.sqrt(100 / m - (2.5 / m) ** 2), z = 2.5 / m;
  const x = last(sheet, end)[0];
  near(x, 0.01 * (1 - Math.exp(-z * end) * (Math.cos(w * end) + z / w * Math.sin(w * end))), 1e-8, "the oscillator");
  await page.keyboard.press("Escape");
  await click([0, -0.9]);
  await page.keyboard.press("Delete");
  assert.ok(!/bar1|weld1/.test(await text()), "a body takes its joints along");
  // Gears, a rope over two pulleys, a plate and a contact with the floor, on one sheet, against closed forms.
  await page.click("#newdrawing");
  const at = async (p) => { const [x, y] = await place(p); await page.mouse.click(x + 2, y + 2); };
  for (const [c, r] of [[[-0.6, 0.4], 0.2], [[-0.3, 0.4], 0.1], [[-0.1, -0.8], 0.1]]) { await tool("disk"); await drag(c, [c[0] + r, c[1]]); }
  await tool("pin");
  await at([-0.6, 0.4]);
  await at([-0.3, 0.4]);
  await tool("gear");
  await drag([-0.6, 0.4], [-0.3, 0.4]);
  await tool("motor");
  await at([-0.6, 0.4]);
  await tool("box");
  await drag([0.2, -0.4], [0.4, -0.2]);
  await drag([0.6, -0.5], [0.8, -0.1]);
  await tool("polygon");
  for (const p of [[-0.9, -0.2], [-0.6, -0.2], [-0.9, -0.6], [-0.9, -0.2]]) await at(p);
  await tool("pin");
  await at([-0.9, -0.2]);
  await tool("contact");
  await drag([-0.1, -0.8], [-0.1, -1]);
  await tool("rope");  // last: after 0.7 s its light end is at the pulley, where the motion ends
  for (const p of [[0.3, -0.3], [0.3, 0.5], [0.7, 0.5], [0.7, -0.3], [0.7, -0.3]]) await at(p);
  await until(page, "kane.engine.info.text.includes('rope1:') && kane.engine.info.coordinates.length === 12 && kane.workspace.marks.length && kane.workspace.history.count > 5", "gears, rope, plate and contact move");
  await shot("drawn");
  const all = await text(), mass = (body) => Number(new RegExp(`${body}: \\{mass: ([\\d.]+) kg`).exec(all)[1]), g = 9.81, when = 0.5;
  const [names, values] = table(all, when), value = (name) => values[names.indexOf(name)], of = (body) => new RegExp(`child: ${body}[,}].*coordinates?: \\[?(\\w+),? ?(\\w*)`).exec(all).slice(1);
  const turning = (k, r) => mass(`disk${k}`) * r * r / 2, angle1 = 0.5 * when ** 2 / (turning(1, 0.2) + 4 * turning(2, 0.1));
  near(value(of("disk1")[0]), angle1, 1e-7, "the driving gear");
  near(value(of("disk2")[0]), -2 * angle1, 1e-7, "the driven gear");
  const sinks = (mass("box2") - mass("box1")) / (mass("box1") + mass("box2")) * g * when ** 2 / 2;
  near(value(of("box2")[1]), -sinks, 1e-6, "the heavy end of the rope");
  near(value(of("box1")[1]), sinks, 1e-6, "the light end of the rope");
  near(value(of("disk3")[1]), -0.1, 1e-4, "the disk rests on the floor");
  // A right-angled triangle: its mass centre is a third of its legs from the corner, its inertia about it m (a^2 + b^2)/18.
  const [plate, [hung]] = [mass("polygon1"), of("polygon1")];
  near(value(hung), last(`kane: 1\ngravity: [0, -${g} m/s^2, 0]\nbodies:\n  plate: {mass: ${plate}, com: [0.1, ${-0.4 / 3}, 0], inertia: [1, 1, ${plate * 0.25 / 18}]}\njoints:\n  pin: {type: revolute, parent: N, child: plate, axis: z, coordinate: a}\n`, when)[0], 1e-4, "the plate");  // its centroid is written to 10 um
  // They are read back from the text as they were drawn.
  await page.evaluate("kane.drawing.read()");
  assert.deepEqual(await page.evaluate("[kane.drawing.problem, kane.drawing.drawing.pairs.map((p) => p.kind), kane.drawing.drawing.links.map((l) => l.ends.length)]"), ["", ["gear", "contact"], [4]]);
  await page.keyboard.press("Escape");
  await at([0.4, 0.5]);
  await page.keyboard.press("Delete");
  assert.ok(!/rope1/.test(await text()), "the rope takes its points along");
  // Lengths in inches.
  await page.selectOption("#unit", "in");
  await at([-0.6, 0.5]);
  await page.fill(".properties input[aria-label=radius]", "6");
  await page.press(".properties input[aria-label=radius]", "Enter");
  assert.match(await text(), /disk1: .*radius: 0\.1524,/);
  await page.selectOption("#unit", "m");
  // The server's refusal is shown beside the sheet: a pin in an anchored disk has nothing to do.
  await page.click("#newdrawing");
  await tool("disk");
  await drag([0, 0], [0.3, 0]);
  await tool("weld");
  await click([0, 0]);
  await tool("pin");
  await click([0.1, 0]);
  await until(page, "/says nothing/.test(document.querySelector('.hint.bad')?.textContent)", "the refusal is shown");
  assert.deepEqual(errors, []);
  await server.end();
}
