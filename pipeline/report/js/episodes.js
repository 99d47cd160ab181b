"use strict";
// The teacher's episodes of one question, turn by turn. Opening an episode loads their file. All text is inserted as text.
(function (q) {
  const time = (seconds) => seconds === null || seconds === undefined ? "" : seconds < 10 ? seconds.toFixed(1) + " s" : seconds < 120 ? Math.round(seconds) + " s" : Math.round(seconds / 60) + " min";
  const money = (cost) => cost ? (cost < 0.01 ? "$" + cost.toFixed(4) : "$" + cost.toFixed(2)) : "";
  const handle = (n) => "<image:" + n + ">";
  const block = (kind, title, text) => text ? q.el("div", { class: "said " + kind }, q.el("p", { class: "when" }, title), q.el("pre", { dir: "auto", tabindex: "0" }, text)) : "";

  // One picture with its handle. `boxes` are [left, top, right, bottom] from 0 to 1000, drawn over the picture.
  function picture(image, index, boxes) {
    const lost = index.missingSet.has(image.sha);
    const shown = lost ? q.el("div", { class: "nopicture" }, "no picture")
      : q.el("img", { src: "thumbnails/" + image.sha + ".jpg", alt: handle(image.handle) + ", " + image.origin, loading: "lazy", decoding: "async", width: image.width, height: image.height });
    const frame = q.el("div", { class: "frame" }, shown, lost || !boxes.length ? "" : q.svg("svg", { class: "boxes", viewBox: "0 0 1000 1000", preserveAspectRatio: "none", "aria-hidden": "true" },
      boxes.map(([x0, y0, x1, y1]) => q.svg("rect", { x: x0, y: y0, width: Math.max(0, x1 - x0), height: Math.max(0, y1 - y0) }))));
    return q.el("figure", { class: "seen" + (image.made ? " made" : "") }, frame, q.el("figcaption", {}, q.el("b", {}, handle(image.handle)), " ", image.origin,
      image.parent >= 0 ? " of " + handle(image.parent) : "", " · " + image.width + "×" + image.height, image.title || image.url ? [" · ", q.link(image.url, image.title || "source")] : ""));
  }

  function call(made) {
    return q.el("div", { class: "said call" }, q.el("p", { class: "when" }, "calls ", q.el("b", {}, q.bdi(made.name))), q.el("pre", { dir: "auto", tabindex: "0" }, made.arguments));
  }

  function turn(step, at, episode, index) {
    const spent = [time(step.seconds), step.toolSeconds ? "tool " + time(step.toolSeconds) : "", step.tokensOut ? q.number(step.tokensIn) + " + " + q.number(step.tokensOut) + " tokens" : "",
      money(step.cost + step.toolCost), step.cached ? "from memory" : ""].filter(Boolean).join(" · ");
    const brought = episode.images.filter((image) => image.call === at);
    // A crop's box is drawn on its source picture, in that picture's state at the time.
    const cut = brought.filter((image) => image.parent >= 0 && image.box.length === 4);
    const parents = [...new Set(cut.map((image) => image.parent))].map((n) => picture(episode.images[n], index, cut.filter((image) => image.parent === n).map((image) => image.box)));
    const result = step.result;
    return q.el("li", {}, q.el("p", { class: "when" }, "turn " + (at + 1), spent ? " · " + spent : ""),
      block("thought", "thinks", step.thought), block("broken", "says", step.text), step.violation ? q.el("p", { class: "bad" }, "The format is broken: ", q.bdi(step.violation.replaceAll("_", " "))) : "",
      step.call ? call(step.call) : "", step.answer === null ? "" : block("final", "answers", step.answer),
      result ? [block("observation", result.status === "ok" ? "observes" : "observes: " + result.status + (result.code ? ", " + result.code : ""), result.text),
        parents.length || brought.length ? q.el("div", { class: "pictures" }, parents, parents.length ? q.el("span", { class: "arrow", "aria-label": "becomes" }, "→") : "", brought.map((image) => picture(image, index, []))) : ""] : "");
  }

  function where(episode) {
    const tool = episode.turns.reduce((sum, t) => sum + (t.toolSeconds || 0), 0), all = episode.turns.reduce((sum, t) => sum + (t.seconds || 0), 0);
    const tokens = episode.turns.reduce((sum, t) => sum + t.tokensOut, 0);
    return [q.plural(episode.turns.length, "turn"), all ? time(all) + ", of it tools " + time(tool) : "", tokens ? q.number(tokens) + " new tokens" : "", money(episode.cost) || "no cost"].filter(Boolean).join(" · ");
  }

  function show(episode, index) {
    const lost = episode.outcome === "rejected" || episode.outcome === "pending";
    return [q.el("p", {}, q.el("span", { class: "soft" }, "ended: "), episode.end, episode.endEvidence ? [" (", q.bdi(episode.endEvidence), ")"] : "", q.el("span", { class: "soft" }, " · " + where(episode))),
      episode.answer ? q.el("p", {}, q.el("span", { class: "soft" }, "answered "), q.el("b", {}, q.bdi(episode.answer)), q.el("span", { class: "soft" }, ", expected "), q.bdi(episode.expected),
        episode.judged ? [q.el("span", { class: "soft" }, " · judged "), q.bdi(episode.judged)] : "") : "",
      lost ? q.el("div", { class: "callout" }, q.el("h4", {}, episode.outcome + " at " + episode.stage + ": " + episode.reason), q.el("p", {}, episode.about), q.el("p", { class: "small why" }, q.bdi(episode.evidence))) : "",
      q.el("div", { class: "pictures" }, episode.images.filter((image) => image.call < 0).map((image) => picture(image, index, []))),
      q.el("ol", { class: "timeline turns" }, episode.turns.map((step, at) => turn(step, at, episode, index)))];
  }

  const MARKS = { kept: ["good", "✓ kept"], rejected: ["bad", "✗ "], pending: ["warn", "… waits: "], "under way": ["warn", "… under way"] };

  const standing = (outcome, reason) => { const [kind, text] = MARKS[outcome]; return q.el("span", { class: kind }, text + (outcome === "rejected" || outcome === "pending" ? reason : "")); };

  // An episode as a separate page in the dialog: #episode/ROW/AT.
  q.showEpisode = async (dialog, row, at, close) => {
    const index = await q.index(), heads = (index.episodes || {})[row];
    if (!heads || !heads[at]) return close();
    const loaded = (await q.chunk("episodes", row))[at], [rollout, outcome, reason] = heads[at];
    if (!dialog.open) dialog.showModal();
    dialog.replaceChildren(
      q.el("div", { class: "dialogbar" }, q.el("a", { href: "#question/" + row }, "← the question"), q.el("span", { class: "soft" }, "rollout " + (rollout + 1) + " of question " + row),
        q.el("button", { type: "button", class: "quiet", onclick: close, "aria-label": "Close" }, "✕")),
      q.el("div", { class: "sheet" }, q.el("h2", { dir: "auto" }, index.text[row]), q.el("p", {}, standing(outcome, reason)), q.el("div", { class: "episode" }, show(loaded, index))));
    dialog.scrollTop = 0;
  };

  // The list of all episodes, by outcome.
  let listed = false;
  q.showEpisodes = async (section) => {
    if (listed) return;
    listed = true;
    const index = await q.index(), all = Object.entries(index.episodes || {}).flatMap(([row, heads]) => heads.map((head, at) => [Number(row), at, ...head]));
    const reasons = [...new Set(all.map(([, , , outcome, reason]) => outcome + (reason ? ": " + reason : "")))].sort();
    const body = q.el("tbody", {}), pages = q.el("div", {}), PER_PAGE = 100;
    const choice = q.el("select", { onchange: () => fill(0) }, q.el("option", { value: "" }, "all of them, " + q.number(all.length)), reasons.map((name) => q.el("option", { value: name }, name)));
    function fill(page) {
      const wanted = all.filter(([, , , outcome, reason]) => !choice.value || choice.value === outcome + (reason ? ": " + reason : ""));
      body.replaceChildren(...wanted.slice(page * PER_PAGE, (page + 1) * PER_PAGE).map(([row, at, rollout, outcome, reason, turns]) => q.el("tr", {},
        q.el("td", {}, q.el("a", { href: "#episode/" + row + "/" + at }, index.text[row])), q.el("td", { class: "n" }, rollout + 1), q.el("td", {}, standing(outcome, reason)), q.el("td", { class: "n" }, turns))));
      pages.replaceChildren(q.pager(page, Math.ceil(wanted.length / PER_PAGE), fill));
    }
    fill(0);
    section.append(q.el("p", {}, q.el("label", {}, "Shown: ", choice)), q.el("div", { class: "scroll" }, q.el("table", {},
      q.el("thead", {}, q.el("tr", {}, ["Question", "Rollout", "What became of it", "Turns"].map((t) => q.el("th", { scope: "col" }, t)))), body)), pages);
  };

  // The section of a question, or nothing if nobody played the question. `heads` of the index: [rollout, outcome, reason, turns] by row.
  q.episodes = (index, row) => {
    const heads = (index.episodes || {})[row];
    if (!heads) return "";
    return q.el("section", { class: "part" }, q.el("h3", {}, "The teacher's episodes"), heads.map(([rollout, outcome, reason, turns], at) => {
      const body = q.el("div", { class: "episode" });
      return q.el("details", { ontoggle: async (event) => {
        if (!event.target.open || body.firstChild) return;
        body.append(q.el("p", { class: "soft" }, "…"));
        try {
          const loaded = (await q.chunk("episodes", row))[at];
          body.replaceChildren();
          for (const node of show(loaded, index).flat(Infinity)) if (node) body.append(node);
        } catch (error) { body.replaceChildren(q.el("p", { class: "notice", role: "alert" }, "The episode cannot be shown: " + error.message)); }
      } }, q.el("summary", {}, "Rollout " + (rollout + 1) + " ", standing(outcome, reason), q.el("span", { class: "soft" }, " · " + q.plural(turns, "turn") + " · "), q.el("a", { href: "#episode/" + row + "/" + at }, "on a page of its own")), body);
    }));
  };
})(window.questloom);
