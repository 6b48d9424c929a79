// The search box: completions while the reader types (the combobox pattern of ARIA).

import { get } from "./api.js";
import { element, termText } from "./dom.js";
import { count, figure } from "./text.js";

const SHOWN = 10;

/**
 * Adds completions to the search box.
 *
 * `choose` is called with the phrase to look up, `weighted` returns whether to show weights, and
 * `pageSize` returns the server's limit of results if it is known.
 */
export function searchBox(form, { choose, weighted, pageSize }) {
  const input = form.querySelector("input");
  const list = form.querySelector("[role=listbox]");
  const status = form.querySelector("[role=status]");
  let options = [];
  let active = -1;
  let question = null;
  // What the reader typed, which Escape brings back.
  let typed = "";

  function close() {
    question?.abort();
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    activate(-1);
    status.textContent = "";
  }

  function activate(place) {
    options[active]?.setAttribute("aria-selected", "false");
    active = place;
    const option = options[active];
    if (!option) {
      input.removeAttribute("aria-activedescendant");
      return;
    }
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", option.id);
  }

  function show(results) {
    options = results.map((result, place) =>
      element(
        "li",
        { id: `completion-${place}`, role: "option", "aria-selected": "false" },
        termText(result.term),
        weighted() ? element("span", { class: "weight" }, figure(result.weight)) : null,
      ),
    );
    active = -1;
    input.removeAttribute("aria-activedescendant");
    list.replaceChildren(...options);
    list.hidden = options.length === 0;
    input.setAttribute("aria-expanded", String(options.length > 0));
    status.textContent = options.length ? count(options.length, "completion") : "No completions";
  }

  async function complete() {
    question?.abort();
    const prefix = input.value;
    if (prefix.trim() === "") {
      close();
      return;
    }
    // The next key press aborts this question, so that a late answer is dropped.
    question = new AbortController();
    const { signal } = question;
    try {
      const most = pageSize();
      const limit = most && Math.min(SHOWN, most);
      let { results } = await get("complete", { prefix, limit }, signal);
      // Words that no term has in this order may be in one in another order.
      if (!results.length && /\S\s+\S/u.test(prefix)) {
        ({ results } = await get("complete", { prefix, limit, order: "any" }, signal));
      }
      if (!signal.aborted && document.activeElement === input) show(results);
    } catch {
      // The reader sees the problem when looking the phrase up.
      if (!signal.aborted) close();
    }
  }

  function look(phrase) {
    close();
    if (phrase.trim() === "") return;
    input.value = typed = phrase;
    choose(phrase);
  }

  function termOf(option) {
    return option.querySelector(".term").textContent;
  }

  input.addEventListener("input", () => {
    typed = input.value;
    complete();
  });
  input.addEventListener("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey) return;
    const open = !list.hidden;
    const last = options.length - 1;
    switch (event.key) {
      case "ArrowDown":
        event.preventDefault();
        if (!open) complete();
        else if (!event.altKey) activate(active >= last ? 0 : active + 1);
        break;
      case "ArrowUp":
        event.preventDefault();
        if (open && event.altKey) close();
        else if (!open) complete();
        else activate(active <= 0 ? last : active - 1);
        break;
      case "Enter":
        event.preventDefault();
        look(open && active >= 0 ? termOf(options[active]) : input.value);
        break;
      case "Escape":
        event.preventDefault();
        if (open) close();
        else input.value = typed = "";
        break;
      case "Home":
      case "End":
        // These keys move the cursor in the text, so no option stays selected.
        activate(-1);
        break;
      case "Tab":
        close();
        break;
    }
  });
  input.addEventListener("blur", close);
  // The focus stays in the box when an option is pressed.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) look(termOf(option));
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    look(input.value);
  });
  document.addEventListener("keydown", (event) => {
    const free = !event.target.closest("input, select, textarea, dialog");
    if (event.key === "/" && free && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      input.focus();
      input.select();
    }
  });

  return {
    /** Shows what the address asks for. */
    show(phrase) {
      if (input.value !== phrase) input.value = typed = phrase;
      close();
    },
    focus: () => input.focus(),
  };
}
