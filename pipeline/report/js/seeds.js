"use strict";
// Every seed with its outcome, in a table to search and filter.
(function (q) {
  const PER_PAGE = 100;
  const LABELS = { result: "Outcome", stage: "Stage", reason: "Reason", method: "Method", level: "Level", domain: "Domain" };
  const COLUMN = { entity: 0, label: 1, method: 2, level: 3, domain: 4, result: 5, stage: 6, reason: 7, evidence: 8, title: 9, questions: 10 };
  const state = { made: null, rows: [], page: 0 };

  function facetsOf(seeds) {
    const facets = {};
    for (const name of Object.keys(LABELS)) {
      const known = new Map(), codes = [];
      for (const seed of seeds) {
        const label = seed[COLUMN[name]] || "–";
        if (!known.has(label)) known.set(label, known.size);
        codes.push(known.get(label));
      }
      facets[name] = { values: [...known.keys()], codes };
    }
    return facets;
  }

  function line(seed) {
    const result = seed[COLUMN.result], title = seed[COLUMN.title], label = seed[COLUMN.label];
    return q.el("tr", {},
      q.el("th", { scope: "row" }, q.bdi(label), label === seed[COLUMN.entity] ? "" : q.el("small", {}, " ", q.bdi(seed[COLUMN.entity]))),
      q.el("td", {}, seed[COLUMN.method] + ", " + seed[COLUMN.level]),
      q.el("td", {}, q.el("span", { class: "outcome " + result }, result)),
      q.el("td", {}, seed[COLUMN.stage]),
      q.el("td", {}, seed[COLUMN.reason]),
      q.el("td", { class: "why" }, seed[COLUMN.questions].map((row) => [q.el("a", { href: "#question/" + row }, "question " + (row + 1)), " "]),
        title && title !== label ? q.el("p", { dir: "auto" }, title) : "",
        seed[COLUMN.evidence] ? q.el("p", { class: "small" }, q.bdi(seed[COLUMN.evidence])) : ""));
  }

  function draw(seeds) {
    const made = state.made, numPages = Math.ceil(state.rows.length / PER_PAGE);
    const go = (page) => { state.page = page; draw(seeds); made.bar.node.scrollIntoView({ block: "start" }); };
    made.body.replaceChildren(...state.rows.slice(state.page * PER_PAGE, (state.page + 1) * PER_PAGE).map((row) => line(seeds[row])));
    made.pages.replaceChildren(...(numPages > 1 ? [q.pager(state.page, numPages, go)] : []));
  }

  function filter(seeds) {
    const { bar, facets, texts } = state.made;
    const found = q.search(facets, texts, bar.choice, bar.words);
    state.rows = found.rows;
    state.page = 0;
    bar.show(found.counts);
    bar.status.textContent = found.rows.length === seeds.length ? q.plural(seeds.length, "seed") : q.number(found.rows.length) + " of " + q.plural(seeds.length, "seed");
    draw(seeds);
    q.remember("seeds", bar.get());
  }

  // Shows the table, filtered by {facet: label, words}.
  q.showSeeds = async (section, wanted) => {
    if (!state.made) {
      const chunks = await Promise.all(Array.from({ length: q.settings.numChunks }, (_, i) => q.chunk("outcomes", i)));
      const seeds = chunks.flat();
      if (state.made) return;
      const facets = facetsOf(seeds);
      const texts = seeds.map((s) => [s[COLUMN.label], s[COLUMN.entity], s[COLUMN.title], s[COLUMN.evidence], s[COLUMN.reason]].join(" ").toLowerCase());
      const body = q.el("tbody", {}), pages = q.el("div", {});
      const bar = new q.FilterBar(facets, LABELS, () => filter(seeds));
      state.made = { bar, facets, texts, body, pages };
      section.append(bar.node, q.el("div", { class: "scroll" }, q.el("table", { class: "seeds" },
        q.el("thead", {}, q.el("tr", {}, ["Seed", "Method, level", "Outcome", "Stage", "Reason", "Evidence"].map((t) => q.el("th", { scope: "col" }, t)))), body)), pages);
    }
    state.made.bar.set(wanted);
  };
})(window.questloom);
