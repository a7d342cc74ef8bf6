// The motion of a one-file page, computed by the page's own kernel in Node: node page_motion.mjs PAGE KERNEL_JS UNTIL STEP
// prints t, coordinates and speeds as comma-separated values.

import { readFileSync } from "fs";
import vm from "vm";

const [page, kernel, until, step] = process.argv.slice(2);
const html = readFileSync(page, "utf8");
const data = JSON.parse(/<script id="data" type="application\/json">([\s\S]*?)<\/script>/.exec(html)[1]);
const context = vm.createContext({ WebAssembly, atob, performance, Math, Float64Array, Uint8Array });
vm.runInContext(readFileSync(kernel, "utf8") + "\nglobalThis.load = (data) => Motion.load(data);", context);
const motion = await context.load(data);
console.log(["t", ...data.coordinates, ...data.speeds].join(","));
for (let k = 0; ; k++) {
  const t = data.t + k * Number(step);
  if (t > Number(until) + 1e-9) break;
  if (!motion.advance(t)) throw new Error(`the motion ends at ${motion.t}`);
  console.log([motion.t, ...motion.y].join(","));
}
