// The canvas on which three.js draws: one for the page, for all models that are shown on it in turn.

import * as THREE from "three";
import type { Camera } from "./camera";

/// What a slow machine leaves out, one after the other.
const LEVELS = [{ shadows: true, ratio: 2 }, { shadows: true, ratio: 1 }, { shadows: false, ratio: 1 }, { shadows: false, ratio: 0.7 }];
const SLOW = 42;  // ms for a picture
const PATIENCE = 12;  // pictures

const PLAIN = 2;      // the level to begin with where there is no graphics processor

/// Whether pictures are computed by the processor alone.
function isSoftware(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) return false;
  const names = gl.getExtension("WEBGL_debug_renderer_info"), by = String(gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(by);
}

export class Stage {
  readonly renderer: THREE.WebGLRenderer | null;
  ratio = 1;
  private level = 0;
  private slow = 0;
  private before = 0;
  private readonly perspective = new THREE.PerspectiveCamera();
  private readonly orthographic = new THREE.OrthographicCamera();

  constructor(readonly canvas: HTMLCanvasElement, readonly overlay: HTMLCanvasElement) {
    let renderer: THREE.WebGLRenderer | null = null;
    try {
      const plain = isSoftware();
      if (plain) this.level = PLAIN;
      renderer = new THREE.WebGLRenderer({ canvas, antialias: !plain, alpha: true, preserveDrawingBuffer: true });
      renderer.shadowMap.enabled = true;
      renderer.shadowMap.type = THREE.PCFSoftShadowMap;
      renderer.autoClear = false;
      renderer.setClearColor(0, 0);
    } catch { /* without WebGL the overlay says so */ }
    this.renderer = renderer;
    for (const camera of [this.perspective, this.orthographic]) camera.matrixAutoUpdate = camera.matrixWorldAutoUpdate = false;
  }
  get shadows(): boolean { return LEVELS[this.level].shadows; }
  /// Fits both canvases to the room they have; returns it, in pixels of the page.
  resize(): [number, number] {
    const wide = Math.max(1, this.overlay.clientWidth), high = Math.max(1, this.overlay.clientHeight);
    this.ratio = Math.min(LEVELS[this.level].ratio, Math.max(0.7, devicePixelRatio || 1));
    const sharp = Math.min(2, devicePixelRatio || 1), w = Math.round(wide * sharp), h = Math.round(high * sharp);
    if (this.overlay.width !== w || this.overlay.height !== h) [this.overlay.width, this.overlay.height] = [w, h];
    if (this.renderer) {
      this.renderer.setPixelRatio(this.ratio);
      const size = this.renderer.getSize(new THREE.Vector2());
      if (size.x !== wide || size.y !== high || this.canvas.width !== Math.floor(wide * this.ratio)) this.renderer.setSize(wide, high, false);
    }
    return [wide, high];
  }
  /// Pictures follow each other; where they do so slowly, the next ones are plainer.
  private pace(now: number): void {
    const gap = now - this.before;
    this.before = now;
    if (gap > 400) return;  // there was nothing to draw
    this.slow = gap > SLOW ? this.slow + 1 : Math.max(0, this.slow - 2);
    if (this.slow < PATIENCE || this.level + 1 >= LEVELS.length) return;
    this.level++;
    this.slow = 0;
  }
  draw(from: Camera, scenes: THREE.Scene[]): void {
    if (!this.renderer) return;
    const camera = from.flat ? this.orthographic : this.perspective, [x, y] = from.lens;
    if (from.flat) camera.projectionMatrix.makeOrthographic(-x * from.distance, x * from.distance, y * from.distance, -y * from.distance, from.near, from.far);
    else camera.projectionMatrix.makePerspective(-x * from.near, x * from.near, y * from.near, -y * from.near, from.near, from.far);
    camera.projectionMatrixInverse.copy(camera.projectionMatrix).invert();
    const [r, a, b, e] = [from.right, from.above, from.back, from.eye];
    camera.matrixWorld.set(r[0], a[0], b[0], e[0], r[1], a[1], b[1], e[1], r[2], a[2], b[2], e[2], 0, 0, 0, 1);
    camera.matrixWorldInverse.copy(camera.matrixWorld).invert();
    this.renderer.clear();
    scenes.forEach((scene, i) => {
      if (i) this.renderer?.clearDepth();
      this.renderer?.render(scene, camera);
    });
    this.pace(performance.now());
  }
}
