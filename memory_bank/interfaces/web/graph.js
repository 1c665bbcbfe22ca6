// The notes around a note, drawn in rings: as far from the middle as they are links away.

import { brief, columns, element } from "./elements.js";

export const TYPES = {
  causal: "Causal",
  contrast: "Contrast",
  example: "Example",
  derived_concept: "Derived concept",
  shared_context: "Shared context",
  opposition: "Opposition",
};
const RADIUS = 7;
// room that a character of a name takes, on the generous side of common fonts
const COLUMN = 7.3;

export function draw(around, { width, href }) {
  const places = arranged(around, width);
  const height = places.height;
  const lines = around.links.map((link) => edge(link, places, around.links));
  const names = named(around.notes, places);
  const dots = around.notes.map((each) => dot(each, places, names, href));
  const label = `${around.notes.length} notes and ${around.links.length} links around this note`;
  return element(
    "svg",
    { class: "graph", role: "group", "aria-label": label, width, height, viewBox: `0 0 ${width} ${height}` },
    lines,
    dots,
  );
}

export function legend(links) {
  const present = Object.keys(TYPES).filter((type) => links.some((each) => each.type === type));
  const swatch = (type) =>
    element("svg", { width: 28, height: 8, "aria-hidden": "true" },
      element("line", { class: `edge ${type}`, x1: 0, y1: 4, x2: 28, y2: 4 }));
  return element("ul", { class: "legend" }, present.map((type) => element("li", {}, swatch(type), TYPES[type])));
}

function arranged({ notes, links }, width) {
  const distances = new Map(notes.map(({ note, distance }) => [note.id, distance]));
  const children = new Map(notes.map(({ note }) => [note.id, []]));
  const placed = new Set();
  for (const { note, distance } of notes.slice(1)) {
    // the parent is any note one link nearer to the middle; the first one will do
    const ends = links.filter((each) => each.source_id === note.id || each.target_id === note.id)
      .map((each) => (each.source_id === note.id ? each.target_id : each.source_id));
    const parent = ends.find((end) => distances.get(end) === distance - 1) ?? notes[0].note.id;
    if (!placed.has(note.id)) children.get(parent).push(note.id);
    placed.add(note.id);
  }
  const leaves = (id) => Math.max(1, children.get(id).reduce((sum, each) => sum + leaves(each), 0));
  const middle = notes[0].note.id;
  const rings = Math.max(...distances.values());
  const total = leaves(middle);
  const height = Math.min(150 + 44 * Math.ceil(total / 2), 520);
  const turns = new Map();
  const spread = (id, from, sweep) => {
    let start = from;
    for (const child of children.get(id)) {
      const own = (sweep * leaves(child)) / leaves(id);
      const angle = start + own / 2;
      const reach = distances.get(child) / rings;
      turns.set(child, { x: reach * Math.cos(angle), y: reach * Math.sin(angle) });
      spread(child, start, own);
      start += own;
    }
  };
  // the first note stands to the right of the middle
  const first = children.get(middle)[0];
  spread(middle, first ? (-Math.PI * leaves(first)) / total : 0, 2 * Math.PI);
  const half = { x: width / 2 - Math.min(150, width * 0.25), y: height / 2 - 30 };
  const fitted = { x: fit(turns, "x", half.x), y: fit(turns, "y", half.y) };
  const at = (id) => {
    const { x, y } = turns.get(id) ?? { x: 0, y: 0 };
    const side = Math.abs(x) < 0.25 * Math.hypot(x, y) ? 0 : Math.sign(x);
    return { x: width / 2 + fitted.x(x), y: height / 2 + fitted.y(y), side, below: y > 0, middle: id === middle };
  };
  return { height, width, at };
}

// each half is stretched until its outermost note touches the rim, so that a one-sided graph leaves no half empty
function fit(turns, axis, rim) {
  const reach = (sign) => Math.max(0.3, ...[...turns.values()].map((each) => sign * each[axis]));
  const [before, after] = [reach(-1), reach(1)];
  return (value) => (value * rim) / (value < 0 ? before : after);
}

function edge(link, places, links) {
  const from = places.at(link.source_id);
  const to = places.at(link.target_id);
  // bent lines keep a pair of opposite links apart, and lines between other notes off the note in the middle
  const paired = links.some((each) => each.source_id === link.target_id && each.target_id === link.source_id);
  const bent = paired ? 0.16 : from.middle || to.middle ? 0 : 0.1;
  const control = {
    x: (from.x + to.x) / 2 - (to.y - from.y) * bent,
    y: (from.y + to.y) / 2 + (to.x - from.x) * bent,
  };
  const angle = Math.atan2(to.y - control.y, to.x - control.x);
  const tip = { x: to.x - (RADIUS + 3) * Math.cos(angle), y: to.y - (RADIUS + 3) * Math.sin(angle) };
  const wing = (turn) => `${tip.x - 9 * Math.cos(angle + turn)} ${tip.y - 9 * Math.sin(angle + turn)}`;
  return element(
    "g",
    { class: link.type },
    element("title", { inSvg: true }, `${TYPES[link.type]}: ${brief(link.explanation, 300)}`),
    element("path", { class: "reach", d: `M${from.x} ${from.y}Q${control.x} ${control.y} ${tip.x} ${tip.y}` }),
    element("path", { class: `edge ${link.type}`, d: `M${from.x} ${from.y}Q${control.x} ${control.y} ${tip.x} ${tip.y}` }),
    element("path", { class: `tip ${link.type}`, d: `M${tip.x} ${tip.y}L${wing(0.4)}L${wing(-0.4)}Z` }),
  );
}

function dot({ note, distance }, places, names, href) {
  const { x, y } = places.at(note.id);
  const name = names.get(note.id);
  const parts = [
    element("circle", { class: "touch", cx: x, cy: y, r: 16 }),
    element("circle", { cx: x, cy: y, r: RADIUS }),
    element("text", { class: name.clear ? undefined : "covered", x: name.x, y: name.y, "text-anchor": name.anchor }, name.words),
  ];
  if (!distance) return element("g", { class: "node middle" }, parts);
  const away = distance === 1 ? "linked" : `${distance} links away`;
  return element(
    "a",
    { inSvg: true, class: `node far${distance}`, href: href(note.id), "aria-label": `${brief(note.content, 80)} (${away})` },
    element("title", { inSvg: true }, brief(note.content, 200)),
    parts,
  );
}

// Finds a place for each name, the nearest notes first. One that would cover another is shown when its note is pointed at.
function named(notes, places) {
  const taken = notes.map(({ note }) => {
    const { x, y } = places.at(note.id);
    return { left: x - 9, right: x + 9, top: y - 9, bottom: y + 9 };
  });
  const names = new Map();
  for (const { note, distance } of notes) {
    const { x, y, side, below } = places.at(note.id);
    const beyond = distance ? { side, below } : { side: 0, below: true };
    const others = [1, -1].map((each) => ({ side: each })).concat([true, false].map((each) => ({ side: 0, below: each })));
    const choices = [beyond, ...others].map((each) => placed(distance ? note.content : "This note", { x, y, ...each }, places.width));
    const clear = choices.find(({ words, box }) => words.length > 3 && !taken.some((each) => overlaps(each, box)));
    const name = clear ?? choices[0];
    if (clear) taken.push(clear.box);
    names.set(note.id, { ...name, clear: !!clear || !distance });
  }
  return names;
}

function placed(content, { x, y, side, below }, width) {
  const gap = RADIUS + 5;
  const room = side ? (side > 0 ? width - x : x) - gap : 2 * Math.min(x, width - x);
  const words = brief(content, Math.min(24, Math.floor(room / COLUMN) - 1));
  const length = COLUMN * [...words].reduce((sum, each) => sum + columns(each), 0);
  const base = side ? y + 4 : y + (below ? RADIUS + 15 : -RADIUS - 6);
  const left = side > 0 ? x + gap : side < 0 ? x - gap - length : x - length / 2;
  const box = { left, right: left + length, top: base - 11, bottom: base + 3 };
  return { words, box, x: x + side * gap, y: base, anchor: ["end", "middle", "start"][side + 1] };
}

const overlaps = (one, other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
