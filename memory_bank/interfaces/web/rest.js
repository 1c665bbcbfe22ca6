// Calls to the REST API of this server.

const PATIENCE = 120_000;
const TOKEN = "memory-bank-token";

// the token that the server asks for, kept until this tab is closed
export const keep = (token) => sessionStorage.setItem(TOKEN, token);

export class Problem extends Error {
  constructor(message, { field = "", status = 0, offline = false } = {}) {
    super(message);
    this.field = field;
    this.offline = offline;
    this.missing = status === 404;
    this.locked = status === 401;
    this.final = status >= 400 && status < 500;
  }
}

export async function call(method, path, { query = {}, body, signal } = {}) {
  const address = new URL(path, location.href);
  for (const [name, value] of Object.entries(query)) if (value) address.searchParams.append(name, value);
  const limit = AbortSignal.timeout(PATIENCE);
  const token = sessionStorage.getItem(TOKEN);
  const headers = { ...(body && { "Content-Type": "application/json" }), ...(token && { Authorization: `Bearer ${token}` }) };
  try {
    const response = await fetch(address, {
      method,
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      headers,
      body: body && JSON.stringify(body),
    });
    const answer = await response.json();
    const { status } = response;
    if (response.ok || (path === "ready" && status !== 401)) return answer;
    throw new Problem(answer.message ?? `The server answered with status ${status}.`, { field: answer.field, status });
  } catch (error) {
    if (error instanceof Problem || signal?.aborted) throw error;
    if (limit.aborted) throw new Problem("The server took too long to answer. Try again.");
    if (error instanceof SyntaxError) throw new Problem("The answer is not from Memory Bank. Is a proxy in between?");
    throw new Problem("The server does not answer. Is it still running?", { offline: true });
  }
}

export const ready = () => call("GET", "ready");

export const notes = (method, path, options) => call(method, `api/v1/notes${path}`, options);
