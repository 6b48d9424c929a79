// Elements made without HTML: terms come from outside, and are text, never markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** An element; strings among the children become text. */
export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** An element of a picture. */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

/** A term inside a line: what it holds does not change the direction of what is around it. */
export function termText(text, attributes = {}) {
  return element("bdi", { class: "term", ...attributes }, text);
}

/** Says something to those who listen to the page; no one sees it. */
export function announce(text) {
  document.getElementById("announcement").textContent = text;
}

/** Fades the edges of a box behind which there is more to be scrolled to. */
export function fadeEdges(box) {
  const fade = () => {
    const most = box.scrollWidth - box.clientWidth;
    // Where a text runs from right to left, the places count down from 0.
    const left = box.scrollLeft + (getComputedStyle(box).direction === "rtl" ? most : 0);
    box.classList.toggle("more-left", left > 1);
    box.classList.toggle("more-right", most - left > 1);
  };
  box.addEventListener("scroll", fade, { passive: true });
  new ResizeObserver(fade).observe(box);
  new MutationObserver(fade).observe(box, { childList: true });
}

/** Puts a picture into its frame: a little smaller if that lets all be seen, else to be scrolled. */
export function frame(box, picture, { width, height }, centre) {
  const room = box.clientWidth;
  const scale = width > room && room >= 0.75 * width ? room / width : 1;
  picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
  picture.setAttribute("width", width * scale);
  picture.setAttribute("height", height * scale);
  box.replaceChildren(picture);
  box.scrollLeft = centre - room / 2;
}
