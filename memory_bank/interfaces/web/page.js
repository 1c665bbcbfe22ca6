// The page's state lives in the address, behind #: bank, q, tag, session, forgotten, open (add, connect or a note's id).

import { brief, byId, count, element, when } from "./elements.js";
import { bdi, meter, shown } from "./note.js";
import { keep, notes, Problem, ready } from "./rest.js";

const PAGE = 20;
const AROUND = { depth: 2, limit: 24 };
const ARMS = { vector: "meaning", lexical: "words" };
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let state = {};

function read() {
  const given = new URLSearchParams(location.hash.slice(1));
  const names = ["bank", "q", "tag", "session", "forgotten", "open"];
  return { ...Object.fromEntries(names.map((name) => [name, given.get(name) ?? ""])), bank: given.get("bank") || "default" };
}

function href(changes) {
  const wanted = Object.entries({ ...state, ...changes }).filter(([, value]) => value);
  return `#${new URLSearchParams(wanted)}`;
}

const go = (changes) => { location.hash = href(changes); };

// A part of the page that is filled from the server: the newest load wins, a failed one can be tried again.
class Pane {
  constructor(root, load) {
    this.root = root;
    this.load = load;
  }

  clear() {
    this.running?.abort();
    this.root.removeAttribute("aria-busy");
    this.root.replaceChildren();
    this.offline = false;
  }

  async show() {
    this.running?.abort();
    const { signal } = (this.running = new AbortController());
    this.root.setAttribute("aria-busy", "true");
    if (!this.root.firstChild) this.root.replaceChildren(element("p", { class: "hint" }, "Loading…"));
    try {
      const filled = await this.load(signal);
      if (!signal.aborted) this.fill(filled, false);
    } catch (error) {
      if (!signal.aborted) this.fill([failure(error, () => this.show())], error.offline);
    }
  }

  fill(children, offline) {
    this.root.replaceChildren(...children.filter(Boolean));
    this.root.removeAttribute("aria-busy");
    this.offline = offline;
    if (offline) check();
  }
}

function failure(error, again) {
  if (error.locked) ask();
  if (!(error instanceof Problem)) console.error(error);
  const message = error instanceof Problem ? error.message : "Something went wrong on this page. Load it again.";
  return element("div", { class: "problem", role: "alert" },
    element("p", { dir: "auto" }, sentence(message)),
    !error.final && element("button", { class: "button", onclick: again }, "Try again"));
}

const sentence = (message) => message.charAt(0).toUpperCase() + message.slice(1);

// List

const list = new Pane(byId("list"), async (signal) => {
  const { bank, q, tag, session, forgotten } = state;
  if (!q) return browsed(await notes("GET", "", { signal, query: listed() }));
  const body = { bank, context: q, limit: PAGE, explain: true, tags: tag ? [tag] : [], session, include_forgotten: !!forgotten };
  const found = (await notes("POST", "/search", { signal, body })).notes;
  if (found.length) return [element("ol", { class: "cards" }, found.map(card))];
  return [empty("Nothing comes to mind.", "No note is close enough to this. Try other words.")];
});

const listed = () => ({ bank: state.bank, tags: state.tag, session: state.session, limit: PAGE });

function browsed(page) {
  if (!page.total && (state.tag || state.session)) return [empty("No such notes.", "Take the filter away to see all notes.")];
  if (!page.total) {
    return [empty("Nothing is remembered here yet.", "Add a note, or connect an agent that does.")];
  }
  const cards = element("ol", { class: "cards" }, page.notes.map(card));
  const tally = element("p", { class: "hint", role: "status" });
  const more = element("button", { class: "button" }, "Show more");
  const told = (cursor) => {
    tally.textContent = `${cards.children.length.toLocaleString()} of ${count(page.total, "note")}`;
    more.hidden = !cursor;
    more.onclick = () => following(cursor);
  };
  const following = async (cursor) => {
    more.disabled = true;
    try {
      const next = await notes("GET", "", { signal: list.running.signal, query: { ...listed(), cursor } });
      cards.append(...next.notes.map(card));
      cards.querySelector(`li:nth-last-child(${next.notes.length}) a`)?.focus();
      told(next.next_cursor);
    } catch (error) {
      if (cards.isConnected) say(sentence(error.message));
    }
    more.disabled = false;
  };
  told(page.next_cursor);
  return [cards, element("div", { class: "more" }, tally, more)];
}

const empty = (title, advice) =>
  element("div", { class: "empty" }, element("p", {}, element("strong", {}, title)), element("p", { class: "hint" }, advice));

function card(note) {
  const arms = note.arms?.map((each) => `${ARMS[each.arm] ?? each.arm} #${each.rank} (${each.score.toFixed(2)})`).join(", ");
  return element("li", {},
    element("a", { class: "card", href: href({ open: note.id }), "data-id": note.id, "aria-current": note.id === state.open && "true" },
      element("span", { class: "text", dir: "auto" }, brief(note.content, 240)),
      element("span", { class: "meta" },
        when(note.timestamp),
        note.kind !== "note" && element("span", {}, note.kind),
        note.links.length > 0 && element("span", {}, count(note.links.length, "link")),
        note.enrichment !== "done" && element("span", { class: note.enrichment }, note.enrichment),
        note.retrievability !== undefined && meter(note.retrievability)),
      arms !== undefined && element("span", { class: "meta" }, `Found by ${arms || "its neighbours"}; score ${note.score.toFixed(3)}`)));
}

function titled() {
  const { q, tag, session, forgotten } = state;
  byId("list-title").textContent = q ? "What comes to mind" : tag || session ? "Filtered notes" : "Recent notes";
  const filter = (name, text) => element("a", { class: "filter", href: href({ [name]: "" }), "aria-label": `Remove the filter ${name} ${text}` },
    `${name} `, bdi(text), " ✕");
  byId("filters").replaceChildren(...[tag && filter("tag", tag), session && filter("session", session)].filter(Boolean));
  byId("search").value = q;
  byId("forgotten").checked = !!forgotten;
  byId("bank").value = state.bank;
}

function marked() {
  for (const each of byId("list").querySelectorAll(".card")) {
    each.href = href({ open: each.dataset.id });
    if (each.dataset.id === state.open) each.setAttribute("aria-current", "true");
    else each.removeAttribute("aria-current");
  }
}

// Detail

const pane = new Pane(byId("pane"), async (signal) => {
  const { bank, open: id } = state;
  if (!ID.test(id)) throw new Problem("This address names no note. Choose one from the list.", { status: 404 });
  // one request brings the note, what it links to and what lies beyond: each of them counts as a recall
  try {
    const around = await notes("GET", `/${id}/neighbourhood`, { signal, query: { bank, ...AROUND } });
    return detail(around.notes[0].note, around);
  } catch (error) {
    if (error.missing) throw new Problem(`This note is not in the bank ${bank}. It may have been deleted.`, { status: 404 });
    throw error;
  }
});

function detail(note, around) {
  const { bank } = state;
  return shown(note, around, {
    href,
    onrefresh: () => pane.show(),
    ondelete: () => doom(bank, note.id),
    onmore: async ({ target }) => {
      target.disabled = true;
      try {
        const { content } = await notes("GET", `/${note.id}`, { query: { bank } });
        byId("pane").querySelector(".content").textContent = content;
        target.remove();
      } catch (error) {
        say(sentence(error.message));
        target.disabled = false;
      }
    },
  });
}

async function opened() {
  const { open } = state;
  document.body.classList.toggle("open", !!open);
  const view = ["add", "connect"].includes(open) ? open : open ? "pane" : "connect";
  for (const each of ["pane", "add", "connect"]) byId(each).hidden = each !== view;
  if (view === "pane") await pane.show();
  else pane.clear();
  byId("detail").scrollTop = 0;
  if (document.body.classList.contains("open") && getComputedStyle(byId("notes")).display === "none") scrollTo(0, 0);
  if (open && open === state.open) (byId(view).querySelector("h2") ?? byId("back")).focus({ preventScroll: true });
}

async function doom(bank, id) {
  try {
    const { note } = await notes("DELETE", `/${id}`, { query: { bank, preview: true } });
    byId("doomed").replaceChildren(
      element("blockquote", { dir: "auto" }, brief(note.content, 300)),
      element("p", {}, note.links.length ? `Its ${count(note.links.length, "link")} will go with it.` : "It has no links."),
    );
    byId("delete").onclick = () => destroy(bank, id);
    byId("confirm").showModal();
  } catch (error) {
    say(sentence(error.message));
  }
}

async function destroy(bank, id) {
  byId("delete").disabled = true;
  try {
    await notes("DELETE", `/${id}`, { query: { bank } });
    say("The note is deleted.");
    go({ open: "" });
    list.show();
  } catch (error) {
    say(sentence(error.message));
  }
  byId("delete").disabled = false;
  byId("confirm").close();
}

// Adding

async function added(event) {
  event.preventDefault();
  const form = event.target;
  const button = form.querySelector("button");
  const { bank } = state;
  refuse(form, null);
  button.disabled = true;
  button.textContent = "Saving…";
  try {
    const { content, context, tags } = form.elements;
    const words = tags.value.split(",").map((each) => each.trim()).filter(Boolean);
    const note = await notes("POST", "", { body: { bank, content: content.value, context: context.value, tags: words } });
    form.reset();
    say(note.duplicate ? "This text was remembered already." : "The note is saved.");
    if (bank === state.bank) {
      list.show();
      if (state.open === "add") go({ open: note.id });
    }
  } catch (error) {
    refuse(form, error);
  }
  button.disabled = false;
  button.textContent = "Save note";
}

function refuse(form, error) {
  const shown = form.querySelector(".problem");
  shown.hidden = !error;
  shown.textContent = error ? sentence(error.message) : "";
  for (const field of form.querySelectorAll("[name]")) field.removeAttribute("aria-invalid");
  const wrong = error && form.elements.namedItem(error.field?.split(".")[0] || "-");
  wrong?.setAttribute("aria-invalid", "true");
  wrong?.focus();
}

// Connecting

function snippets() {
  const configured = (server) => `{\n  "mcpServers": {\n    "memory-bank": ${JSON.stringify(server, null, 1).replaceAll(/\n */g, " ")}\n  }\n}`;
  const at = (path) => new URL(path, location.origin + location.pathname).href;
  byId("sse").textContent = configured({ type: "sse", url: at("sse") });
  byId("http").textContent = configured({ type: "http", url: at("mcp") });
  byId("stdio").textContent = configured({ command: "memory-bank", args: ["stdio"] });
}

async function copied({ target }) {
  const source = byId(target.dataset.copy);
  try {
    await navigator.clipboard.writeText(source.textContent);
    say("Copied.");
  } catch {
    // browsers keep the clipboard from pages that came over plain HTTP from another machine
    getSelection().selectAllChildren(source);
    say("Selected; press Ctrl+C or ⌘C to copy.");
  }
}

// Token

const ask = () => { if (!byId("lock").open) byId("lock").showModal(); };

function unlocked(event) {
  event.preventDefault();
  keep(byId("token").value.trim());
  byId("token").value = "";
  byId("lock").close();
  check();
  list.show();
  if (!byId("pane").hidden) pane.show();
}

// Status

let timer;
let wasReady = true;

async function check() {
  clearTimeout(timer);
  const [name, short, long] = await condition();
  byId("status").className = name;
  tell("status", short);
  tell("banner", long);
  byId("banner").hidden = !long;
  if (name === "ready" && !wasReady) for (const each of [list, pane]) if (each.offline) each.show();
  wasReady = name === "ready";
  clearTimeout(timer);
  timer = setTimeout(() => (document.hidden ? null : check()), wasReady ? 30_000 : 2_000);
}

// screen readers speak every change, so the same words are not written again
const tell = (id, words) => { if (byId(id).textContent !== words) byId(id).textContent = words; };

async function condition() {
  try {
    const now = await ready();
    const waiting = now.pending ? `, ${now.pending} being linked` : "";
    if (now.ready) return ["ready", `Ready${waiting}`, ""];
    if (now.embedder === "loading") {
      return ["starting", "Starting", "The embedding model is still loading. Notes can be read; search and adding answer as soon as it is there."];
    }
    const cause = now.database === "ok" ? now.embedder : now.database;
    return ["starting", "Not ready", `Not ready yet: ${cause}. This page goes on by itself.`];
  } catch (error) {
    if (error.locked) return ["starting", "Locked", ""];
    return ["away", "Not reachable", `${error.message} This page goes on by itself once it is back.`];
  }
}

let silence;

function say(message) {
  clearTimeout(silence);
  byId("said").textContent = message;
  silence = setTimeout(() => { byId("said").textContent = ""; }, 6_000);
}

// Start

function moved() {
  const before = state;
  state = read();
  byId("to-add").href = href({ open: "add" });
  byId("to-connect").href = href({ open: "connect" });
  byId("back").href = href({ open: "" });
  document.querySelector(".brand").href = href({ q: "", tag: "", session: "", forgotten: "", open: "" });
  const changed = (...names) => names.some((name) => before[name] !== state[name]);
  if (changed("bank", "q", "tag", "session", "forgotten")) {
    if (changed("bank")) list.clear();
    titled();
    list.show();
  } else marked();
  if (changed("bank", "open")) opened();
  if (!state.open && before.open) byId("list").querySelector(`[data-id="${CSS.escape(before.open)}"]`)?.focus();
}

byId("bank-form").addEventListener("submit", (event) => { event.preventDefault(); byId("bank").blur(); });
byId("bank").addEventListener("change", ({ target }) => {
  if (target.reportValidity()) go({ bank: target.value, q: "", tag: "", session: "", open: "" });
});
byId("search-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const q = byId("search").value.trim();
  if (q && q === state.q) list.show();
  go({ q, open: "" });
});
byId("search").addEventListener("search", ({ target }) => { if (!target.value && state.q) go({ q: "" }); });
byId("forgotten").addEventListener("change", ({ target }) => go({ forgotten: target.checked ? "1" : "" }));
byId("add").addEventListener("submit", added);
byId("unlock").addEventListener("submit", unlocked);
byId("cancel").addEventListener("click", () => byId("confirm").close());
for (const each of document.querySelectorAll("[data-copy]")) each.addEventListener("click", copied);
addEventListener("hashchange", moved);
addEventListener("online", check);
document.addEventListener("visibilitychange", () => { if (!document.hidden) check(); });
snippets();
check();
moved();
