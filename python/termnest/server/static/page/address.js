// The address of the page contains all of its state.

const CHOICES = {
  view: ["list", "tree", "graph"],
  sort: ["weight", "left", "right", "length"],
  where: ["anywhere", "start", "end", "inside"],
};

/** The state in an address. What is missing or invalid gets the first choice. */
export function parse(search) {
  const query = new URLSearchParams(search);
  const choice = (name) => {
    const value = query.get(name);
    return CHOICES[name].includes(value) ? value : CHOICES[name][0];
  };
  const length = (name) => {
    const value = query.get(name);
    return value !== null && /^[1-9]\d{0,4}$/.test(value) ? Number(value) : null;
  };
  return {
    q: query.get("q") ?? "",
    view: choice("view"),
    sort: choice("sort"),
    where: choice("where"),
    min: length("min"),
    max: length("max"),
  };
}

/** The address of a state, relative to the page. First choices are left out. */
export function format(state) {
  const query = new URLSearchParams();
  if (state.q !== "") query.set("q", state.q);
  for (const [name, choices] of Object.entries(CHOICES)) {
    if (state[name] !== undefined && state[name] !== choices[0]) query.set(name, state[name]);
  }
  for (const name of ["min", "max"]) {
    if (state[name]) query.set(name, String(state[name]));
  }
  const text = query.toString();
  return text ? `?${text}` : "./";
}

/** The address of another term in the same view and order. Filters belong to a phrase: they go. */
export function addressOf(term, { view, sort }) {
  return format({ q: term, view, sort });
}
