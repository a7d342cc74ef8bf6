// What the JSON Schema of model files says of a place: the keys and values that may stand there, and their meaning.

interface Node {
  $ref?: string; anyOf?: Node[]; oneOf?: Node[]; allOf?: Node[]; properties?: Record<string, Node>; patternProperties?: Record<string, Node>;
  additionalProperties?: Node | boolean; items?: Node; description?: string; enum?: unknown[]; const?: unknown; type?: string | string[]; required?: string[];
}
const MOST_REFERENCES = 20, MOST_DEPTH = 8;

export class Schema {
  constructor(private readonly root: Node) {}
  private resolve(given: Node | undefined): Node | undefined {
    let node = given;
    for (let i = 0; node?.$ref && i < MOST_REFERENCES; i++)
      node = node.$ref.replace(/^#\//, "").split("/").reduce<unknown>((s, key) => (s as Record<string, unknown> | undefined)?.[decodeURIComponent(key)], this.root) as Node | undefined;
    return node;
  }
  /// All alternatives of a node.
  private choices(given: Node | undefined, depth = 0): Node[] {
    const node = this.resolve(given);
    if (!node || depth > MOST_DEPTH) return [];
    return [node, ...[node.anyOf, node.oneOf, node.allOf].flatMap((list) => (list ?? []).flatMap((n) => this.choices(n, depth + 1)))];
  }
  private below(nodes: Node[], key: string): Node[] {
    return nodes.flatMap((n) => this.choices(n)).flatMap((n) => {
      const own = n.properties?.[key];
      if (own) return [own];
      const found = Object.entries(n.patternProperties ?? {}).find(([pattern]) => new RegExp(pattern).test(key));
      if (found) return [found[1]];
      return typeof n.additionalProperties === "object" ? [n.additionalProperties] : [];
    });
  }
  private nodes(path: string[]): Node[] {
    let nodes: Node[] = [this.root];
    for (const key of path) nodes = key === "-" ? nodes.flatMap((n) => this.choices(n)).flatMap((n) => (n.items ? [n.items] : [])) : this.below(nodes, key);
    return nodes.flatMap((n) => this.choices(n));
  }
  /// Keys of a place with their descriptions.
  keys(path: string[]): Map<string, string> {
    const keys = new Map<string, string>();
    for (const n of this.nodes(path))
      for (const [key, value] of Object.entries(n.properties ?? {})) if (!keys.has(key)) keys.set(key, this.resolve(value)?.description ?? value.description ?? "");
    return keys;
  }
  /// Words that may be the value of a place.
  values(path: string[]): string[] {
    const found = new Set<string>();
    for (const n of this.nodes(path)) {
      for (const v of n.enum ?? []) found.add(String(v));
      if (n.const !== undefined) found.add(String(n.const));
      if (n.type === "boolean") { found.add("true"); found.add("false"); }
    }
    return [...found];
  }
  /// What a key means.
  help(path: string[]): string {
    const own = this.below(this.nodes(path.slice(0, -1)), path[path.length - 1]);
    for (const n of own) { const text = n.description ?? this.resolve(n)?.description; if (text) return text; }
    return "";
  }
}
