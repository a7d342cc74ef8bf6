// Meters, phase plots, pictures and films of the view; symbols that explain themselves; modes that move, Bode plots; the tour.

import assert from "node:assert";
import { readFileSync } from "node:fs";

export async function measuring(browser, { serve, until, rest, models, shots }) {
  const server = await serve(models), errors = [];
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, acceptDownloads: true }), page = await context.newPage();
  page.on("pageerror", (e) => errors.push(String(e)));
  const shot = (name) => (shots ? page.screenshot({ path: `${shots}/${name}.png` }) : null);
  const tab = (title) => page.click(`#righttabs button:has-text('${title}')`);

  // The first visit begins with the tour, the second does not.
  await page.goto(server.url + "#double_pendulum.yaml");
  await until(page, "window.kane?.workspace.time > 0.2 && !document.getElementById('tour').hidden", "the tour begins");
  await shot("tour");
  for (let i = 0; i < 5; i++) {
    assert.match(await page.textContent("#tour .hint"), new RegExp(`^${i + 1} of 5`));
    await page.click("#tour .next");
  }
  assert.ok(await page.isHidden("#tour"), "the tour ends");
  await page.reload();
  await until(page, "window.kane?.workspace.time > 0.2", "the workbench moves");
  await page.evaluate("new Promise((done) => setTimeout(done, 1600))");  // later than the tour's own timer, which is older
  assert.ok(await page.isHidden("#tour"), "the tour is not repeated");

  // A symbol of the equations: a parameter with a power, a coordinate, a speed with a dot.
  await until(page, "document.querySelectorAll('#equations math').length > 1", "equations are shown");
  const ask = async (of) => { await page.locator(`#equations ${of}`).first().click(); return page.textContent("#symbol"); };
  await rest(page);
  assert.match(await ask("[data-name=l1]:not([data-rate])"), /^l1 parameter, now 0\.5 m/);
  assert.match(await ask("[data-name=q2]:not([data-rate])"), /^q2 coordinate, now -?[\d.e-]+ rad/);
  assert.equal(Number(await page.textContent("#symbol output")), Number(await page.evaluate("kane.workspace.history.state(kane.workspace.history.count - 1)[1].toPrecision(5)")));
  assert.match(await ask("[data-name=u1][data-rate]"), /^u1\u2032 rate of change of the generalized speed u1, now -?[\d.e-]+ rad\/s\/s/);
  await shot("symbol");

  // Meters: any expression; a mistake is a sentence.
  await tab("Measure");
  await page.fill("#expression", "2*sin(q1) - u2^2/3 + l1");
  await page.press("#expression", "Enter");
  await until(page, "document.querySelector('.meter output')?.textContent", "the meter has a value");
  const [q1, , , u2] = await page.evaluate("[...kane.workspace.history.state(kane.workspace.history.count - 1)]");
  const l1 = await page.evaluate("kane.workspace.values.get('l1')"), metered = 2 * Math.sin(q1) - u2 ** 2 / 3 + l1;
  assert.ok(Math.abs(Number(await page.textContent(".meter output")) - metered) < 1e-4 * Math.max(1, Math.abs(metered)), "the meter's value");
  await page.evaluate("(() => { const w = kane.workspace, note = w.note; window.noted = []; w.note = (text, kind) => { window.noted.push(text); note.call(w, text, kind); }; })()");
  await page.fill("#expression", "2*nobody");
  await page.press("#expression", "Enter");
  await until(page, "/nothing here is called 'nobody'/.test(window.noted.join())", "a mistake is a sentence");
  assert.equal(await page.locator(".meter").count(), 1);
  await page.evaluate("kane.workspace.setPlaying(true)");
  const inked = (of) => `(() => { const c = document.querySelector('${of}'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 60; return n; })()`;
  await until(page, inked("canvas.phase") + " > 500", "the phase plot is drawn");
  await shot("measure");
  const kept = async (button) => { const [file] = await Promise.all([page.waitForEvent("download"), page.click(button)]); return readFileSync(await file.path()); };
  assert.equal((await kept("#png")).subarray(1, 4).toString(), "PNG");
  await page.click("#film");
  const from = await page.evaluate("kane.workspace.measures.pictures");
  await until(page, `kane.workspace.measures.pictures > ${from} + 5 && kane.workspace.measures.filmed > 2000`, "pictures are in the film");
  const film = await kept("#film");
  assert.equal(film.subarray(0, 4).toString("hex"), "1a45dfa3", "a WebM file");
  assert.ok(film.length > 2000, "with pictures in it");

  // Frequency responses against the closed form of a mass on a spring and a damper.
  const [m, c, k] = [2, 0.7, 50];
  for (const w of [0.3, 4.9, 5, 60]) {
    const [re, im] = await page.evaluate(`kane.respond([[0, 1], [${-k / m}, ${-c / m}]], [0, ${1 / m}], ${w})[0]`), size = (k - m * w * w) ** 2 + (c * w) ** 2;
    assert.ok(Math.hypot(re - (k - m * w * w) / size, im + c * w / size) < 1e-12, `response at ${w} rad/s`);
  }
  // The cart-pole has no free input: its responses are those to forces on its bodies. A mode moves, and the run goes on after it.
  await page.evaluate("kane.choose('cartpole.yaml')");
  await until(page, "kane.engine.info.name === 'cartpole' && kane.workspace.time > 0.2", "the cart-pole moves");
  await tab("Analysis");
  await page.click("#analyse");
  await page.waitForSelector("canvas.bode");
  await until(page, inked("canvas.bode") + " > 500", "the Bode plot is drawn");
  assert.equal(await page.evaluate("document.querySelector(\"[aria-label='Input of the Bode plot']\").selectedOptions[0].textContent"), "force x on cart");
  // The root locus: the feedback of the model places the poles at -2 +- i, -3 and -4; their sum goes with the gain k2 in a line.
  const sum = "kane.analysis.trail.at(-1).reduce((s, [re]) => s + re, 0)", first = await page.evaluate(sum);
  assert.ok(Math.abs(first + 11) < 0.02, `the poles add up to ${first}`);
  await page.selectOption("[aria-label='Parameter of the root locus']", "k2");
  const sums = [];
  for (const k2 of [7.36, 8.36, 9.36]) {
    await page.evaluate("void (kane.analysis.trail.length = 0)");
    await page.fill(".locus .slider[data-name=k2] .value input", String(k2));
    await page.press(".locus .slider[data-name=k2] .value input", "Enter");
    await until(page, `kane.workspace.values.get('k2') === ${k2} && !kane.analysis.asked && kane.analysis.trail.length`, "the eigenvalues follow the slider");
    sums.push(await page.evaluate(sum));
  }
  assert.ok(Math.abs(sums[2] - sums[0]) > 0.5 && Math.abs(sums[2] - 2 * sums[1] + sums[0]) < 1e-6, `the trace is linear in the gain: ${sums}`);
  await shot("locus");
  // Poses of the mode are shown without speeds, the motion before has them.
  await page.evaluate("(() => { const w = kane.workspace, take = w.take; window.poses = []; w.take = (t, state, row) => { if (state[2] === 0 && state[3] === 0) window.poses.push([...state]); take.call(w, t, state, row); }; })()");
  await page.click("[data-mode='0']");
  // Every pose is one of the mode: reach * Re(shape e^(i phase)), for some phase, about the equilibrium at zero. The poses are
  // looked at as they come, so that it does not matter how many there are.
  const { shape, size } = await page.evaluate("({ shape: ['x', 'theta'].map((q) => kane.analysis.moving.shape[q]), size: kane.workspace.history.scene.size })");
  const reach = Math.min(0.2 * size / Math.hypot(...shape[0]), 0.35 / Math.hypot(...shape[1]));
  const missed = ([x, theta]) => Math.min(...Array.from({ length: 3600 }, (_, i) => {
    const [c, s] = [Math.cos(i * Math.PI / 1800), Math.sin(i * Math.PI / 1800)], at = shape.map(([re, im]) => reach * (re * c - im * s));
    return Math.hypot(x - at[0], theta - at[1]);
  }));
  const spread = (i) => `(Math.max(...window.poses.map((p) => p[${i}])) - Math.min(...window.poses.map((p) => p[${i}])))`;
  await until(page, `window.poses.length > 12 && ${spread(0)} > ${reach * Math.hypot(...shape[0])} && ${spread(1)} > ${reach * Math.hypot(...shape[1])}`, "the mode moves");
  for (const p of await page.evaluate("window.poses")) assert.ok(missed(p) < 1e-3 * reach, `the pose ${p.slice(0, 2)} is none of the mode`);
  await shot("mode");
  await page.locator("canvas.bode").scrollIntoViewIfNeeded();
  await shot("bode");
  const held = await page.evaluate("kane.analysis.before.state");
  await page.click("[data-mode='0']");
  await until(page, `kane.workspace.history.state(kane.workspace.history.count - 1)[0] === ${held[0]}`, "the state before comes back");
  const t = await page.evaluate("kane.workspace.time");
  await page.click("#play");
  await until(page, `kane.workspace.time > ${t} + 0.3`, "the run goes on");
  // On a phone held sideways: both panes can be reached, everything has a name, and nothing sticks out. Keys play and step.
  await page.setViewportSize({ width: 740, height: 360 });
  for (const side of ["right", "left"]) {
    await page.locator(".tabs .swap >> visible=true").click();
    await page.waitForSelector(`#${side}tabs >> visible=true`);
    const beyond = await page.evaluate("[...document.querySelectorAll('.tabs .swap')].filter((b) => b.offsetParent && b.getBoundingClientRect().right > innerWidth).length");
    assert.equal(beyond, 0, "the button for the other pane is in sight");
  }
  assert.deepEqual(await page.evaluate(`[...document.querySelectorAll("button, select, input, canvas, textarea")]
    .filter((e) => e.offsetParent && !(e.textContent.trim() || e.getAttribute("aria-label") || e.title || e.labels?.length || e.getAttribute("aria-hidden"))).map((e) => e.outerHTML)`), []);
  assert.deepEqual(await page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"), [740, 360]);
  await shot("phone");
  await page.locator("canvas.overlay").focus();
  await page.keyboard.press("Space");
  await until(page, "!kane.workspace.playing && !kane.engine.running", "the space bar pauses");
  const still = await page.evaluate("kane.workspace.time");
  await page.keyboard.press(".");
  await until(page, `Math.abs(kane.workspace.time - ${still} - 0.01) < 1e-9`, "a step of a hundredth of a second");
  assert.deepEqual(errors, []);
  await context.close();
  await server.end();
}
