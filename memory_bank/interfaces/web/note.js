// One note in full, with its links and the notes around it.

import { brief, count, element, percent, when } from "./elements.js";
import * as graph from "./graph.js";

const ORIGINS = { llm: "found by the language model", heuristic: "found by rules", user: "made by hand" };
const STATES = {
  pending: "Keywords and links are still being found.",
  done: "Done",
  failed: "Failed; links that rules could find are here. Try again with: memory-bank enrich --failed",
};

export function shown(note, around, { href, onmore, ondelete, onrefresh }) {
  const texts = new Map(around.notes.map((each) => [each.note.id, each.note.content]));
  return [
    element(
      "div",
      { class: "bar" },
      element("h2", { tabindex: -1 }, note.kind === "note" ? "Note" : `Note: ${note.kind}`),
      element("button", { class: "button danger", onclick: ondelete }, "Delete…"),
    ),
    element("div", { class: "content", dir: "auto", tabindex: 0, role: "group", "aria-label": "Text" }, note.content),
    /[\u202a-\u202e\u2066-\u2069]/.test(note.content) &&
      element("p", { class: "hint" }, "Hidden characters in this text change the order in which it is shown."),
    note.content_truncated && element("button", { class: "button", onclick: onmore }, "Show all of it"),
    facts(note, { href, onrefresh }),
    element("h3", {}, note.links.length ? count(note.links.length, "link") : "No links yet"),
    note.links.length
      ? element("ul", { class: "links" }, note.links.map((each) => linkRow(each, note.id, texts, href)))
      : element("p", { class: "hint" }, "Links appear when related notes are added."),
    note.links.length > 0 && neighbourhood(around, href),
  ];
}

function facts(note, { href, onrefresh }) {
  const rows = [];
  const row = (name, ...values) => rows.push(element("dt", {}, name), element("dd", {}, ...values));
  if (note.context) row("Context", element("span", { dir: "auto" }, note.context));
  if (note.keywords.length) row("Keywords", chips(note.keywords));
  if (note.tags.length) row("Tags", chips(note.tags, (tag) => href({ tag, q: "", session: "", open: "" })));
  row("Happened", when(note.timestamp));
  if (note.session) {
    const place = note.position === undefined ? "" : `, place ${note.position}`;
    const address = href({ session: note.session, tag: "", q: "", open: "" });
    row("Session", element("span", {}, element("a", { href: address }, bdi(note.session)), place));
  }
  const recalled = element("span", {}, `${count(note.retrieval_count, "time")}, last `, when(note.last_accessed * 1000));
  row("Recalled", recalled, element("span", { class: "hint" }, "(opening it counts)"));
  if (note.retrievability !== undefined) row("Retrievability", meter(note.retrievability));
  const refresh = element("button", { class: "button", onclick: onrefresh }, "Look again");
  row(
    "Enrichment",
    element("span", { class: note.enrichment }, STATES[note.enrichment]),
    note.enrichment === "pending" && refresh,
    note.enrichment_error && element("span", { class: "hint", dir: "auto" }, note.enrichment_error),
  );
  row("Id", element("code", {}, note.id));
  return element("dl", {}, rows);
}

function linkRow(link, own, texts, href) {
  const outgoing = link.source_id === own;
  const other = outgoing ? link.target_id : link.source_id;
  const text = texts.get(other);
  const name = text === undefined ? `Note ${other.slice(0, 8)}…` : brief(text, 160);
  const sure = link.origin === "user" ? "" : `, ${percent(link.confidence)} sure`;
  return element(
    "li",
    { class: link.type },
    element("span", { class: "type" }, graph.TYPES[link.type], outgoing ? " → to" : " ← from"),
    element("a", { href: href({ open: other }), dir: "auto" }, name),
    element("p", { dir: "auto" }, link.explanation),
    element("p", { class: "hint" }, ORIGINS[link.origin], sure),
  );
}

function neighbourhood(around, href) {
  const holder = element("div");
  // the drawing fits the width it gets, so that its words stay legible on a phone
  new ResizeObserver(([{ contentRect }]) => {
    const width = Math.round(contentRect.width);
    const drawn = holder.firstChild;
    if (!width || (drawn && +drawn.getAttribute("width") === width)) return;
    holder.replaceChildren(graph.draw(around, { width, href: (id) => href({ open: id }) }));
  }).observe(holder);
  return element("figure", {}, element("figcaption", {}, element("h3", {}, "Around it")), holder, graph.legend(around.links));
}

export function meter(share) {
  const bar = element("span");
  bar.style.width = `${share * 100}%`;
  const state = { role: "meter", "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": Math.round(share * 100) };
  return element("span", { class: "meter" }, element("span", { ...state, "aria-label": "Retrievability" }, bar), percent(share));
}

export function chips(words, href) {
  return element(
    "ul",
    { class: "chips" },
    words.map((word) => element("li", {}, href ? element("a", { href: href(word) }, bdi(word)) : bdi(word))),
  );
}

export const bdi = (text) => element("bdi", {}, text);
