// Pages and their server: tokens, two pages at once, a pull that stays passive, saving, and a server that is killed and
// started again.

import assert from "node:assert";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

export async function serving(browser, { serve, until, rest, write, onScreen, models, scratch }) {
  const folder = path.join(scratch, "served"), file = path.join(folder, "pendulums.yaml"), tokens = path.join(scratch, "token");
  mkdirSync(folder);
  copyFileSync(path.join(models, "double_pendulum.yaml"), file);
  chmodSync(file, 0o644);
  let server = await serve(folder, "--write", "--token-file", tokens);
  assert.equal(statSync(tokens).mode & 0o777, 0o600);
  const context = await browser.newContext({ viewport: { width: 1000, height: 600 } }), page = await context.newPage(), errors = [];
  page.on("pageerror", (e) => errors.push(String(e)));

  // Without the token, or with another one, there is nothing.
  for (const wrong of ["", `${"0".repeat(32)}/`, `${new URL(server.url).pathname.slice(1, -2)}/`]) {
    const answer = await page.goto(new URL("/" + wrong, server.url).href);
    assert.equal(answer.status(), 403);
    assert.match(await page.textContent("body"), /token/);
  }
  await page.goto(server.url);
  await until(page, "window.kane?.workspace.history?.count > 3", "the workbench moves");

  // Two pages see one run, and each may act on it.
  const second = await context.newPage();
  await second.goto(server.url);
  await until(second, "window.kane?.workspace.history?.count > 3", "a second page moves");
  await second.evaluate("kane.workspace.setPlaying(false)");
  await until(page, "!kane.engine.running && !kane.workspace.playing", "the first page sees the pause of the second");
  await until(second, "!kane.engine.running", "the second page rests");
  const newest = "[...kane.workspace.history.state(kane.workspace.history.count - 1)]";
  assert.deepEqual(await page.evaluate(newest), await second.evaluate(newest));
  await second.close();

  // A body follows the hand, and the hand never gets energy out of the port.
  await page.click("#flat");  // so that the cursor moves in the plane of the pendulum
  await rest(page);
  const [x, y] = await page.evaluate(onScreen(1));
  await page.mouse.move(x, y);
  await page.mouse.down();
  await until(page, "kane.workspace.view.pulled", "the body is caught");
  await page.evaluate("(() => { const e = kane.engine, take = e.take; window.port = []; e.take = (buffer) => { take.call(e, buffer); if (e.portEnergy !== null) window.port.push(e.portEnergy); }; })()");
  await page.evaluate("kane.workspace.toggle()");
  const away = "(() => { const { pulled, inGround } = kane.workspace.view, at = inGround.call(kane.workspace.view, pulled.body, pulled.point); return Math.hypot(...at.map((v, k) => v - pulled.target[k])); })()";
  for (const at of [[0.35, -0.4], [-0.35, -0.4], [0, -0.6]]) {  // within the reach of the arms, 0.8 m
    const [to, box] = await page.evaluate(`[kane.workspace.view.camera.project([${at}, 0]), kane.workspace.overlay.getBoundingClientRect()]`);
    await page.mouse.move(box.x + to[0], box.y + to[1], { steps: 3 });
    await until(page, `${away} < 0.15`, "the body follows the cursor", 20000);  // the spring hangs under the weight
  }
  await page.mouse.up();
  await until(page, "kane.engine.force === null", "the hand lets go");
  const port = await page.evaluate("window.port");
  assert.ok(port.length > 5 && Math.max(...port) > 1e-3, "the hand works");
  assert.ok(Math.min(...port) > -1e-3, `the port gives ${Math.min(...port)} J`);  // the prediction error of a tick

  // What is typed is sent soon after the last key; who scrubs before sees the new model, at rest where the old one was.
  const text = await page.evaluate("kane.editor.text"), version = await page.evaluate("kane.engine.info.version");
  await until(page, "kane.workspace.history.count > 30", "there is a past");
  await write(page, text.replace(/l1: [^,}]+/, "l1: 0.61 m"));
  await page.evaluate("(() => { const w = kane.workspace, t = w.history.times; w.go((t[0] + t[t.length - 1]) / 2); window.at = w.history.times[w.sample]; })()");
  await until(page, `kane.engine.info.version > ${version} && kane.workspace.history.count > 0`, "the edit takes effect");
  assert.equal(await page.evaluate("kane.workspace.playing"), false);
  await until(page, "Math.abs(kane.workspace.time - window.at) < 1e-9", "the new model is where the old one was seen");

  // Saved, then changed by another program: it is not replaced without asking.
  assert.ok(await page.isEnabled(".editor .bar button"));
  await page.keyboard.press("Control+s");
  await until(page, "document.querySelector('.editor .bar button').disabled", "it is saved");
  assert.match(readFileSync(file, "utf8"), /l1: 0\.61 m/);
  writeFileSync(file, text.replace(/l1: [^,}]+/, "l1: 0.62 m"));
  await write(page, text.replace(/l1: [^,}]+/, "l1: 0.63 m"));
  await page.keyboard.press("Control+s");
  await page.waitForSelector(".asking:not([hidden])");
  assert.match(readFileSync(file, "utf8"), /l1: 0\.62 m/);
  await page.click(".asking button:has-text('Cancel')");

  // Killed and started again: the page comes back by itself, with the text as it was edited.
  await server.end("SIGKILL");
  await until(page, "!document.getElementById('lost').hidden", "the page says that the server is gone");
  await write(page, text.replace(/l1: [^,}]+/, "l1: 0.64 m"));
  server = await serve(folder, "--write", "--token-file", tokens, "--port", server.port);
  await until(page, "document.getElementById('lost').hidden && kane.engine.info.parameters.some((p) => p.name === 'l1' && p.value === 0.64)", "it goes on with what was typed meanwhile");
  await page.evaluate("kane.workspace.setPlaying(true)");
  const t = await page.evaluate("kane.workspace.time");
  await until(page, `kane.workspace.time > ${t} + 0.1 || kane.workspace.time < ${t}`, "it moves");
  // With another token it cannot come back, and says what to do; its text is there under the new address.
  await server.end("SIGKILL");
  server = await serve(folder, "--port", server.port);
  await until(page, "/new address/.test(document.getElementById('lost').textContent)", "the page says that there is a new address");
  const third = await context.newPage();
  await third.goto(server.url);
  await until(third, "window.kane?.workspace.history?.count > 3", "the new address works");
  assert.match(await third.evaluate("kane.editor.text"), /l1: 0\.64 m/);
  assert.deepEqual(errors, []);
  await context.close();
  await server.end();
}
