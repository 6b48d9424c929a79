// Elements are made without HTML: terms come from outside and must stay text.

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

/** An SVG element; strings among the children become text. */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

/** A term inside a line. Its direction does not change that of the text around it. */
export function termText(text, attributes = {}) {
  return element("bdi", { class: "term", ...attributes }, text);
}

/** Says something to readers with a screen reader. It is not visible. */
export function announce(text) {
  document.getElementById("announcement").textContent = text;
}

/** Fades an edge of a box while there is more to scroll to in that direction. */
export function fadeEdges(box) {
  const fade = () => {
    const most = box.scrollWidth - box.clientWidth;
    // In text from right to left, scrollLeft counts down from 0.
    const left = box.scrollLeft + (getComputedStyle(box).direction === "rtl" ? most : 0);
    box.classList.toggle("more-left", left > 1);
    box.classList.toggle("more-right", most - left > 1);
  };
  box.addEventListener("scroll", fade, { passive: true });
  new ResizeObserver(fade).observe(box);
  new MutationObserver(fade).observe(box, { childList: true });
}

/** Puts a picture into its frame. A wider one is scaled down if 75 % is enough, or else scrolls. */
export function frame(box, picture, { width, height }, centre) {
  const room = box.clientWidth;
  const scale = width > room && room >= 0.75 * width ? room / width : 1;
  picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
  picture.setAttribute("width", width * scale);
  picture.setAttribute("height", height * scale);
  box.replaceChildren(picture);
  box.scrollLeft = centre - room / 2;
}
