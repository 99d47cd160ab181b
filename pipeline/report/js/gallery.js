"use strict";
// The gallery of kept questions: filters, a page of cards, and the way into the detail view.
(function (q) {
  const PER_PAGE = 24;
  const LABELS = { level: "Level", method: "Method", domain: "Domain", topic: "Topic", answer: "Answer", relation: "Relation", hops: "Hops needed",
    margin: "Margin", basis: "Basis", needs: "Needs", licence: "Licence", split: "Split", teacher: "Teacher" };

  // The label of a facet in one row.
  const value = (index, facet, row) => {
    const code = index.facets[facet].codes[row];
    return typeof code === "number" ? index.facets[facet].values[code] : code.map((c) => index.facets[facet].values[c]);
  };
  q.facetOf = value;

  // The badges of a row.
  q.badges = (index, row) => [
    q.badge(value(index, "level", row), "level-" + value(index, "level", row)), q.badge(value(index, "method", row)), q.badge(value(index, "domain", row)),
    q.badge(value(index, "hops", row) + (value(index, "hops", row) === "1" ? " hop" : " hops")), q.badge("margin: " + value(index, "margin", row)),
    value(index, "needs", row).filter((n) => n !== "nothing special").map((n) => q.badge(n, "need"))];

  // A button that turns into the answer.
  q.answer = (text, shown) => {
    const node = q.el("div", { class: "answer" });
    const open = () => node.replaceChildren(q.el("b", {}, q.bdi(text)));
    if (shown) open();
    else node.append(q.el("button", { type: "button", class: "quiet", onclick: (event) => { event.stopPropagation(); open(); } }, "Show the answer"));
    return node;
  };

  const state = { rows: [], page: 0, shown: false, made: null };

  function card(index, row) {
    return q.el("article", { class: "card" },
      q.el("a", { class: "cover", href: "#question/" + row, tabindex: "-1", "aria-hidden": "true" }, q.picture(index.image[row], index.phrase[row], index.missingSet)),
      q.el("div", { class: "body" },
        q.el("h3", { dir: "auto" }, q.el("a", { href: "#question/" + row }, index.text[row])),
        q.answer(index.reply[row], state.shown),
        q.el("p", { class: "badges" }, q.badges(index, row))));
  }

  function draw(index) {
    const numPages = Math.ceil(state.rows.length / PER_PAGE);
    const go = (page) => { state.page = page; draw(index); state.made.bar.node.scrollIntoView({ block: "start" }); };
    const rows = state.rows.slice(state.page * PER_PAGE, (state.page + 1) * PER_PAGE);
    state.made.cards.replaceChildren(...rows.map((row) => card(index, row)));
    state.made.pages.replaceChildren(...(numPages > 1 ? [q.pager(state.page, numPages, go)] : []));
  }

  function filter(index) {
    const bar = state.made.bar;
    const found = q.search(index.facets, index.texts, bar.choice, bar.words);
    state.rows = found.rows;
    state.page = 0;
    bar.show(found.counts);
    bar.status.textContent = state.rows.length === index.texts.length ? q.plural(index.texts.length, "question")
      : q.number(state.rows.length) + " of " + q.plural(index.texts.length, "question");
    draw(index);
    q.remember("questions", bar.get());
  }

  // The rows before and after a given row in the filtered list.
  q.neighbours = (row) => {
    const at = state.rows.indexOf(row);
    return { before: at > 0 ? state.rows[at - 1] : null, after: at >= 0 && at + 1 < state.rows.length ? state.rows[at + 1] : null, at, number: state.rows.length };
  };

  q.index = async () => {
    const index = await q.load("index");
    if (!index.texts) {
      index.texts = index.text.map((text, row) => (text + " " + index.reply[row] + " " + value(index, "relation", row).join(" ")).toLowerCase());
      index.missingSet = new Set(index.missing);
    }
    return index;
  };

  // Shows the gallery, filtered by {facet: label, words}.
  q.showQuestions = async (section, wanted) => {
    if (!q.settings.numQuestions) {
      if (!state.made) section.append(q.el("p", { class: "notice" }, "No question was kept. “Rejected” shows why."));
      state.made = state.made || {};
      return;
    }
    const index = await q.index();
    if (!state.made) {
      const bar = new q.FilterBar(index.facets, LABELS, () => filter(index));
      const toggle = q.el("label", { class: "switch" }, q.el("input", { type: "checkbox", onchange: (event) => { state.shown = event.target.checked; draw(index); } }), " Show all answers");
      state.made = { bar, cards: q.el("div", { class: "cards" }), pages: q.el("div", {}) };
      section.append(bar.node, toggle, state.made.cards, state.made.pages);
    }
    state.made.bar.set(wanted);
  };
})(window.questloom);
