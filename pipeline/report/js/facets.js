"use strict";
// Filtering by facets and words, with the number of hits that each further choice would leave.
//
// A facet is {values: [label], codes: [code or list of codes per row]}. 10,000 rows and a dozen facets take some milliseconds.
(function (q) {
  const has = (code, wanted) => typeof code === "number" ? code === wanted : code.includes(wanted);

  // search(facets, texts, choice, words) -> {rows: [row], counts: {facet: [hits by code]}}
  // `choice` is {facet: code}; the row's text must contain all `words`. A facet's counts ignore its own choice.
  q.search = (facets, texts, choice, words) => {
    const names = Object.keys(facets);
    const chosen = names.filter((name) => choice[name] !== undefined);
    const counts = {};
    for (const name of names) counts[name] = new Uint32Array(facets[name].values.length);
    const rows = [];
    for (let row = 0; row < texts.length; row++) {
      let failed = null, out = false;
      for (const name of chosen) {
        if (has(facets[name].codes[row], choice[name])) continue;
        if (failed !== null) { out = true; break; }
        failed = name;
      }
      if (out) continue;
      const text = texts[row];
      if (!words.every((word) => text.includes(word))) continue;
      if (failed === null) rows.push(row);
      for (const name of failed === null ? names : [failed]) {
        const code = facets[name].codes[row];
        if (typeof code === "number") counts[name][code]++;
        else for (const one of code) counts[name][one]++;
      }
    }
    return { rows, counts };
  };

  q.wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

  // byNumber sorts labels as people expect: 2 before 10.
  const byLabel = (values) => values.map((_, code) => code).sort((a, b) => values[a].localeCompare(values[b], "en", { numeric: true }));

  // FilterBar: a search box and one select per facet. onchange() has no arguments; `state` is {words, choice}.
  q.FilterBar = class {
    constructor(facets, labels, onchange) {
      this.facets = facets;
      this.onchange = onchange;
      this.selects = {};
      this.box = q.el("input", { type: "search", placeholder: "Search words", "aria-label": "Search words", oninput: q.paused(onchange, 120) });
      this.order = {};
      const fields = [];
      for (const [name, label] of Object.entries(labels)) {
        if (!facets[name]) continue;
        this.order[name] = byLabel(facets[name].values);
        this.selects[name] = q.el("select", { "aria-label": label, onchange });
        fields.push(q.el("label", {}, q.el("span", {}, label), this.selects[name]));
      }
      this.clear = q.el("button", { type: "button", class: "quiet", onclick: () => this.set({}) }, "Clear");
      this.status = q.el("p", { class: "status", role: "status" });
      this.node = q.el("form", { class: "filters", role: "search", onsubmit: (event) => event.preventDefault() },
        q.el("div", { class: "searchline" }, this.box, this.clear), q.el("details", { class: "choices", open: !matchMedia("(max-width: 760px)").matches }, q.el("summary", {}, "Filters"), q.el("div", { class: "selects" }, fields)), this.status);
    }

    get words() { return q.wordsOf(this.box.value); }

    get choice() {
      const found = {};
      for (const [name, select] of Object.entries(this.selects)) if (select.value) found[name] = Number(select.value);
      return found;
    }

    // Sets all controls from {facet: label, words: text}; controls without a value are cleared.
    set(wanted) {
      this.box.value = wanted.words || "";
      for (const [name, select] of Object.entries(this.selects)) {
        const code = this.facets[name].values.indexOf(wanted[name]);
        if (code >= 0) select.replaceChildren(q.el("option", { value: code, selected: true }, wanted[name]));
        else select.replaceChildren(q.el("option", { value: "" }, "any"));
        select.value = code >= 0 ? String(code) : "";
      }
      this.onchange();
    }

    // The argument of `set` that restores the current state.
    get() {
      const found = {};
      if (this.box.value) found.words = this.box.value;
      for (const [name, code] of Object.entries(this.choice)) found[name] = this.facets[name].values[code];
      return found;
    }

    // Shows the numbers of hits in the selects; choices without a hit are left out.
    show(counts) {
      for (const [name, select] of Object.entries(this.selects)) {
        const chosen = select.value;
        const options = [q.el("option", { value: "" }, "any")];
        for (const code of this.order[name]) {
          if (!counts[name][code] && String(code) !== chosen) continue;
          options.push(q.el("option", { value: code }, this.facets[name].values[code] + " (" + q.number(counts[name][code]) + ")"));
        }
        select.replaceChildren(...options);
        select.value = chosen;
        select.parentNode.classList.toggle("on", chosen !== "");
      }
    }
  };
})(window.questloom);
