// Questions to the server.

const KEY = "termnest-token";

/** The server refused, or did not answer; the message is a sentence for people. */
export class ServerProblem extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// The token lives as long as the tab; where the browser keeps nothing, as long as the page.
let token = null;
try {
  token = sessionStorage.getItem(KEY);
} catch {
  // It keeps nothing.
}

// What asks the reader for a token; the page sets it.
let askForToken = null;
let asking = null;

// The ETag of the answers: another index, or another server, has another.
let version = null;

/** The version of what answered last. */
export function answeringVersion() {
  return version;
}

function keepToken(given) {
  token = given;
  try {
    sessionStorage.setItem(KEY, given);
  } catch {
    // As above.
  }
}

/** Sets the function that asks the reader for a token, told whether one was refused. */
export function onToken(ask) {
  askForToken = ask;
}

/** Whether the server asked for a token in this tab. */
export function hasToken() {
  return token !== null;
}

/** The address of a question; parameters without a value are left out. */
export function address(route, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined) query.set(name, String(value));
  }
  const text = query.toString();
  return `v1/${route}${text ? `?${text}` : ""}`;
}

/** The answer to a question of GET. */
export function get(route, parameters, signal) {
  return ask(address(route, parameters), { signal });
}

/** The answer to a question of POST. */
export function post(route, question, signal) {
  const headers = { "Content-Type": "application/json" };
  return ask(address(route), { method: "POST", headers, body: JSON.stringify(question), signal });
}

async function ask(url, options) {
  for (;;) {
    const sent = token;
    const headers = { ...options.headers, ...(sent && { Authorization: `Bearer ${sent}` }) };
    let response;
    try {
      response = await fetch(url, { ...options, headers });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new ServerProblem(0, "The server does not answer. Is it still running?");
    }
    if (response.ok) {
      // A proxy that compresses an answer makes its ETag a weak one.
      version = response.headers.get("ETag")?.replace(/^W\//, "") ?? version;
      return await response.json();
    }
    if (response.status !== 401 || !askForToken) throw await problemOf(response);
    // Several questions may be refused at once: the reader is asked once, for all of them.
    if (token === sent) {
      asking ??= askForToken(sent !== null).finally(() => (asking = null));
      keepToken(await asking);
    }
    options.signal?.throwIfAborted();
  }
}

async function problemOf(response) {
  let detail = "";
  try {
    detail = (await response.json()).detail ?? "";
  } catch {
    // Not ours: a proxy in between, for instance.
  }
  return new ServerProblem(
    response.status,
    detail ? sentence(detail) : `The server answered ${response.status} ${response.statusText}.`,
  );
}

function sentence(text) {
  const ended = /[.?!]$/.test(text) ? text : `${text}.`;
  return ended[0].toUpperCase() + ended.slice(1);
}

/** The pages of an answer, one after the other. */
export async function* pages(route, parameters, signal, sizes = [1000]) {
  let cursor = null;
  for (let number = 0; ; number++) {
    const limit = sizes[Math.min(number, sizes.length - 1)];
    const page = await get(route, { ...parameters, limit, cursor }, signal);
    yield page;
    cursor = page.next;
    if (cursor === null) return;
  }
}
