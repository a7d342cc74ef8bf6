// Elements of the page, and what it remembers between visits.

type Handler = (event: never) => void;
type Attribute = string | number | boolean | undefined | Handler;

/// An element: attributes by name, "onclick" and the like are listeners, `true` is an attribute without a value, and
/// `false` or `undefined` is none.
export function element<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Record<string, Attribute> = {},
  ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") e.addEventListener(name.slice(2), value as unknown as EventListener);
    else if (value === true) e.setAttribute(name, "");
    else if (value !== false && value !== undefined) e.setAttribute(name, String(value));
  }
  e.append(...children);
  return e;
}

/// An element of the page by its identifier; it has to exist.
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element '${id}'`);
  return found as T;
}

/// A small picture of one path, 14 by 14.
export function icon(path: string): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg"), p = document.createElementNS(space, "path");
  svg.setAttribute("viewBox", "0 0 14 14");
  svg.setAttribute("aria-hidden", "true");
  p.setAttribute("d", path);
  svg.append(p);
  return svg;
}

/// "N*m/rad^2" as a person writes it.
export const prettyUnit = (unit: string | undefined): string =>
  (unit ?? "").replaceAll("*", "\u2009").replaceAll("^2", "\u00b2").replaceAll("^3", "\u00b3");

/// A number with a few digits, without zeros at its end.
export const digits = (value: number, count = 5): string => (Number.isFinite(value) ? String(Number(value.toPrecision(count))) : "\u2013");

export function remember(key: string, value: string): void {
  try { localStorage.setItem("kane." + key, value); } catch { /* a page from a file may have no store */ }
}
export function recall(key: string): string | null {
  try { return localStorage.getItem("kane." + key); } catch { return null; }
}
export function forget(key: string): void {
  try { localStorage.removeItem("kane." + key); } catch { /* as above */ }
}

/// Hands a file to the user.
export function offerFile(content: Blob, name: string): void {
  const link = element("a", { href: URL.createObjectURL(content), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/// The colours of the page by name ("ink", "accent", ...), as they are now, light or dark.
export function colours(): (name: string) => string {
  const style = getComputedStyle(document.documentElement);
  return (name) => style.getPropertyValue("--" + name).trim();
}
export const isDark = (): boolean => getComputedStyle(document.documentElement).colorScheme === "dark";
