// Questions to the server.

const KEY = "termnest-token";

/** An answer that is an error, or no answer (status 0); the message is a sentence for people. */
export class ServerProblem extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// The token lives as long as the tab, or only as long as the page if the browser stores nothing.
let token = null;
try {
  token = sessionStorage.getItem(KEY);
} catch {
  // The browser does not allow storage.
}

// The function that asks the reader for a token; the page sets it.
let askForToken = null;
let asking = null;

// The ETag of the latest answer. A new index, or another version of the server, has another one.
let version = null;

/** The version of the index and the server that answered last. */
export function answeringVersion() {
  return version;
}

function keepToken(given) {
  token = given;
  try {
    sessionStorage.setItem(KEY, given);
  } catch {
    // The browser does not allow storage.
  }
}

/** Sets the function that asks the reader for a token. Its argument: whether one was refused. */
export function onToken(ask) {
  askForToken = ask;
}

/** Whether the page has a token. */
export function hasToken() {
  return token !== null;
}

/** The address of a question. Parameters without a value are left out. */
export function address(route, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined) query.set(name, String(value));
  }
  const text = query.toString();
  return `v1/${route}${text ? `?${text}` : ""}`;
}

/** The answer to a GET request. */
export function get(route, parameters, signal) {
  return ask(address(route, parameters), { signal });
}

/** The answer to a POST request. */
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
      // A proxy that compresses an answer makes its ETag weak (W/).
      version = response.headers.get("ETag")?.replace(/^W\//, "") ?? version;
      return await response.json();
    }
    if (response.status !== 401 || !askForToken) throw await problemOf(response);
    // Several questions may be refused at the same time: ask the reader only once.
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
    // Not an answer of our server, but of a proxy in between, for instance.
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

/** The pages of an answer, one after the other; `sizes` are the limits of the first pages. */
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
