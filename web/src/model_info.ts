// What a page is told about a model: its symbols, and the scene that is drawn from it (kane/picture/live_picture.hpp).

import type { Vec } from "./vectors";

export interface SceneBody {
  name: string;
  origin: number;    ///< places in a row: 3 numbers,
  rotation: number;  ///< 9 numbers by rows,
  com?: number;      ///< 3 numbers
  mass: number;
  pull?: number[];   ///< numbers of the inputs by which a hand acts on it
}
export interface ScenePart {
  name: string;
  body: number;      ///< -1: the ground
  color: string;
  vertices: Float32Array;  ///< place and normal of each corner
  triangles: Uint32Array;
}
export interface SceneBall { name: string; point: number; radius: number; color: string; body: number }
export interface SceneLine { name: string; from: number; to: number; spring: boolean }
export interface SceneArrow {
  name: string; torque: boolean; reaction: boolean; contact?: boolean;
  point: number; vector: number; frame: number; sign: number;
}
export interface ScenePoint { name: string; point: number; trail: boolean }
export interface ScenePlane { name: string; normal: number; height: number }
/// The symbol of a joint: a point of its parent and an axis there.
export interface SceneJoint {
  name: string; kind: string; parent: number; child: number; at: Vec; lockable: boolean;
  axis?: Vec; turns_from?: number;  ///< in the axes of this body
}
export interface SceneSignal { group: string; name: string; unit: string; from: "row" | "q" | "u"; at: number }
/// A place in a row, or a point fixed in a body.
export interface SceneSource { at?: number; body?: number; fixed?: Vec; first?: Vec }
/// How shapes change with a parameter.
export interface SceneMorph { parameter: string; at: number; parts?: [number, string][]; sources?: [number, Vec][] }

export interface Scene {
  size: number;
  row: number;
  gravity?: number;
  kinetic?: number;
  potential?: number;
  bodies: SceneBody[];
  parts: ScenePart[];
  balls: SceneBall[];
  lines: SceneLine[];
  arrows: SceneArrow[];
  points: ScenePoint[];
  planes: ScenePlane[];
  joints?: SceneJoint[];
  signals: SceneSignal[];
  sources: SceneSource[];
  morphs: SceneMorph[];
}

export interface ParameterInfo { name: string; value: number; unit: string; free?: boolean }
export interface InputInfo { name: string; value: number; unit: string; pull?: boolean; law?: boolean; series?: unknown }

export interface ModelInfo {
  name: string;
  description?: string;
  file?: string;
  text?: string;
  version?: number;
  coordinates: string[];
  speeds: string[];
  parameters: ParameterInfo[];
  inputs: InputInfo[];
  constrained?: boolean;
  scene: Scene;
  equations?: string;
}

/// A body held at a point (in its axes) and pulled towards a place in the ground.
export interface Hold { body: number; point: Vec; target: Vec }
/// A sample of the motion: time, coordinates and speeds, the row that the scene refers to.
export type Sample = [number, ArrayLike<number>, ArrayLike<number>];
