"use strict";
// Makes elements from data. Text is always inserted as text, so no title can become markup.
window.questloom = window.questloom || {};

(function (q) {
  const SVG = "http://www.w3.org/2000/svg";

  function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true ? "" : value);
    }
    for (const child of children.flat(Infinity)) {
      if (child === null || child === undefined || child === false || child === "") continue;
      node.append(child instanceof Node ? child : document.createTextNode(String(child)));
    }
    return node;
  }

  // el("p", {class: "x", onclick: f}, "text", child): an HTML element.
  q.el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  // The same for SVG.
  q.svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
  // Isolates outside text, so that right-to-left text does not reorder its neighbours.
  q.bdi = (text) => q.el("bdi", {}, text);
  q.number = (n) => Number(n).toLocaleString("en");
  q.plural = (n, word) => q.number(n) + " " + word + (n === 1 ? "" : "s");

  // A link to a web page, or plain text if the address is anything else (javascript:, data:).
  q.link = (address, text) => /^https?:\/\//i.test(address || "")
    ? q.el("a", { href: address, rel: "noopener noreferrer", target: "_blank" }, q.bdi(text))
    : q.bdi(text);

  // A question's picture: the thumbnail, or a placeholder if there is none.
  q.picture = (image, phrase, missing) => image && !missing.has(image)
    ? q.el("img", { src: "thumbnails/" + image + ".jpg", alt: phrase ? "Picture of the question: " + phrase : "Picture of the question", loading: "lazy", decoding: "async" })
    : q.el("div", { class: "nopicture" }, "no picture");

  q.badge = (text, kind) => q.el("span", { class: "badge " + (kind || "") }, text);

  // A pager that calls go(page) with pages from 0.
  q.pager = (page, numPages, go) => q.el("nav", { class: "pager", "aria-label": "Pages" },
    q.el("button", { type: "button", disabled: page === 0, onclick: () => go(page - 1) }, "← Previous"),
    q.el("span", {}, "page " + (page + 1) + " of " + q.number(Math.max(numPages, 1))),
    q.el("button", { type: "button", disabled: page + 1 >= numPages, onclick: () => go(page + 1) }, "Next →"));

  // Calls `run` once the user pauses typing.
  q.paused = (run, wait) => {
    let timer = 0;
    return () => { clearTimeout(timer); timer = setTimeout(run, wait); };
  };
})(window.questloom);
