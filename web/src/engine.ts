// What runs the model: the server (socket_engine.ts) or WebAssembly in the page (wasm_engine.ts).

import type { Hold, ModelInfo } from "./model_info";

/// A line in the corner of the view; the second is "warn" or nothing.
export type MeterLine = [string, string?];

export interface Engine {
  info: ModelInfo;
  readonly running: boolean; ///< when the newest sample was taken
  force: number | null;      ///< of the hand, N
  pace: number;              ///< simulated seconds per second
  residual: number | null;   ///< of closed loops
  /// Called before every picture; gives samples to workspace.sample().
  frame(now: number): void;
  play(on: boolean): void;
  step(): void;
  reset(): void;
  /// `stream`: another one follows at once, and nothing waits for the samples of this one.
  resume(t: number, state: ArrayLike<number>, stream?: boolean): void;
  setSpeed(x: number): void;
  setInput(i: number, value: number): void;
  /// "" or a sentence why not.
  setParameter(i: number, value: number): Promise<string>;
  parameterValue(i: number): number;
  pull(hold: Hold | null): void;
  meters(): MeterLine[];
}
