// Builds elements. Data only ever becomes text or attributes, never markup.

const SVG = "http://www.w3.org/2000/svg";
const SHAPES = new Set(["svg", "g", "path", "circle", "text", "line"]);

export const byId = (id) => document.getElementById(id);

export function element(name, attributes = {}, ...children) {
  const shape = SHAPES.has(name) || attributes.inSvg;
  const made = shape ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false || key === "inSvg") continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((each) => each !== undefined && each !== null && each !== false));
  return made;
}

export const columns = (character) => (character.codePointAt(0) > 0x2e7f ? 2 : 1);

// the text as one line of at most `width` columns; characters that would turn around what stands beside it are dropped
export function brief(text, width) {
  const line = text.replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "").replace(/\s+/g, " ").trim();
  let used = 0;
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(line.slice(0, width * 8))) {
    used += columns(segment);
    if (used > width) return `${kept.trimEnd()}…`;
    kept += segment;
  }
  return kept;
}

export const count = (number, noun) => `${number.toLocaleString()} ${noun}${number === 1 ? "" : "s"}`;

export const percent = (share) => `${Math.round(share * 100)} %`;

const UNITS = [["year", 31557600], ["month", 2629800], ["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

export function when(moment) {
  const date = new Date(moment);
  const seconds = (date - Date.now()) / 1000;
  const [unit, length] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ["second", 1];
  const ago = new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(Math.trunc(seconds / length), unit);
  return element("time", { datetime: date.toISOString(), title: date.toLocaleString() }, ago);
}
