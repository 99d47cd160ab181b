"use strict";
// One question in full: picture, path, certificate, filters, evidence.
(function (q) {
  const part = (title, ...children) => q.el("section", { class: "part" }, q.el("h3", {}, title), ...children);
  const mark = (passed) => q.el("span", { class: passed ? "good" : "bad" }, passed ? "✓ passed" : "✗ failed");
  const TERMS = {
    Basis: "margin: the answer stands as long as fewer facts are missing than the margin says; closed: the sets are complete; external: taken over, nothing was executed",
    Margin: "how many facts would have to be missing from the store for another answer to fit",
    "Hops drawn": "claims on the path", "Hops needed": "claims that remain when shortcuts are taken",
    "Answers without the picture": "how many answers the words alone leave open",
  };
  const term = (name) => TERMS[name] ? q.el("dt", {}, q.el("details", { class: "term" }, q.el("summary", {}, name), TERMS[name])) : q.el("dt", {}, name);
  const pairs = (rows) => q.el("dl", { class: "pairs" }, rows.filter(([, v]) => v !== "" && v !== null && v !== undefined)
    .map(([name, v]) => q.el("div", {}, term(name), q.el("dd", {}, v instanceof Node ? v : q.bdi(v)))));

  function picture(detail, index, row) {
    const p = detail.picture, node = q.picture(detail.image, index.phrase[row], index.missingSet);
    if (node.tagName === "IMG") {
      // The full picture is available while the report stays in the run's folder; the thumbnail always is.
      const full = new Image();
      full.onload = () => { node.src = full.src; };
      full.src = q.settings.pictures + detail.image + ".jpg";
    }
    return q.el("figure", { class: "shown" }, node, q.el("figcaption", {},
      p ? [q.link(p.page, p.file), p.author ? [" · by ", q.bdi(p.author)] : "", " · ", q.link(p.licenceUrl, p.licence || "no licence stated")]
        : "Where it comes from is not at hand: the report was built without a store.",
      detail.enhancement ? q.el("p", { class: "need" }, `Degraded on purpose (${detail.enhancement.degradation}, severity ${detail.enhancement.severity}); ${detail.enhancement.tool} repairs it.`) : ""),
      detail.enhancement ? q.el("div", { class: "before small soft" }, q.picture(detail.enhancement.original, "", index.missingSet), "before") : "");
  }

  function certificate(made) {
    if (!made) return part("Certificate", q.el("p", {}, "This question has none."));
    const rival = made.rival;
    return part("Certificate",
      pairs([["Basis", made.basis], ["Margin", made.margin], ["Hops drawn", made.nominal], ["Hops needed", made.effective],
        ["Answers without the picture", made.without >= 5 ? "5 or more" : made.without]]),
      q.el("div", { class: "scroll" }, q.el("table", { class: "checks" },
        q.el("thead", {}, q.el("tr", {}, ["Check", "Result", "Measured", "What it shows"].map((t) => q.el("th", { scope: "col" }, t)))),
        q.el("tbody", {}, made.checks.map((c) => q.el("tr", {}, q.el("th", { scope: "row" }, c.name), q.el("td", {}, mark(c.passed)),
          q.el("td", { class: "n" }, c.name === "margin" ? made.margin : c.score === null ? "" : Math.round(c.score * 1e4) / 1e4), q.el("td", {}, c.about, c.evidence ? q.el("p", { class: "small" }, q.bdi(c.evidence)) : "")))))),
      rival ? q.el("div", { class: "callout" }, q.el("h4", {}, "Nearest rival: ", q.bdi(rival.label), rival.label === rival.id ? "" : q.el("small", {}, " " + rival.id)),
        q.el("p", {}, "It comes nearest to taking the place of ", q.bdi(rival.of), ". ", rival.num ? q.plural(rival.num, "fact") + " about it would have to be missing from the store:" : "No gap is left: facts contradict it."),
        rival.gaps.length ? q.el("ul", {}, rival.gaps.map((g) => q.el("li", {}, q.bdi(g)))) : "")
        : q.el("p", { class: "small soft" }, "No rival comes nearer than the margin says."),
      made.breaking.length ? q.el("details", {}, q.el("summary", {}, q.plural(made.breaking.length, "claim") + " on which the uniqueness rests"), q.el("ul", {}, made.breaking.map((c) => q.el("li", {}, q.bdi(c))))) : "",
      made.fuzzed.length ? q.el("div", {}, q.el("h4", {}, "Said vaguely"), q.el("ul", {}, made.fuzzed.map((f) => q.el("li", {}, f.kind, " in place of ", q.bdi(f.claim), ": " + f.before + " candidates before, " + f.after + " after.")))) : "",
      made.smallest.length ? q.el("details", {}, q.el("summary", {}, "The smallest part that still has the one answer"), q.el("ul", {}, made.smallest.map((c) => q.el("li", {}, q.bdi(c))))) : "",
      made.votes ? q.el("p", { class: "small" }, "Votes: ", q.bdi(made.votes)) : "");
  }

  function verdicts(detail) {
    if (!detail.verdicts.length) return "";
    return part("Filters", q.el("div", { class: "scroll" }, q.el("table", {},
      q.el("thead", {}, q.el("tr", {}, ["Filter", "Result", "Solver", "Right answers", "What it shows"].map((t) => q.el("th", { scope: "col" }, t)))),
      q.el("tbody", {}, detail.verdicts.map((v) => {
        const skipped = v.solver === "not_run";
        return q.el("tr", {}, q.el("th", { scope: "row" }, v.filter), q.el("td", {}, skipped ? q.el("span", { class: "soft" }, "– not run") : mark(v.passed)),
          q.el("td", {}, q.bdi(skipped ? "" : v.solver.replaceAll("_", " "))), q.el("td", { class: "n" }, v.samples ? v.correct + " of " + v.samples : ""),
          q.el("td", {}, v.about, v.evidence ? q.el("p", { class: "small" }, q.bdi(v.evidence)) : ""));
      })))));
  }

  function evidence(detail) {
    if (!detail.hops.length) return "";
    return part("Evidence", q.el("ol", { class: "evidence" }, detail.hops.map((h) => q.el("li", {},
      q.el("p", {}, q.el("b", {}, q.bdi(h.from)), q.el("span", { class: "relation" }, h.reverse ? " ← " + h.label + " — " : " — " + h.label + " → "), q.el("b", {}, q.bdi(h.to))),
      h.evidence ? q.el("blockquote", { dir: "auto" }, h.evidence) : h.stated === "no" ? q.el("p", { class: "small" }, "stated: no – no page says this in words that are known; the claim alone stands for it") : "",
      q.el("p", { class: "small" }, [h.article ? (h.stated === "infobox" ? "infobox of “" : "article “") + h.article + "”" : "", h.entity && h.claim ? "claim of " + h.entity : "", h.revision ? "revision " + h.revision : h.claim ? "the source gives no revision" : ""].filter(Boolean).join(" · "))))));
  }

  function head(row, close) {
    const near = q.neighbours(row);
    const step = (to, text, name) => q.el("a", { class: "step", "aria-label": name, href: to === null ? null : "#question/" + to, "aria-disabled": to === null ? "true" : null }, text);
    return q.el("div", { class: "dialogbar" }, step(near.before, "←", "Previous question"), step(near.after, "→", "Next question"),
      q.el("span", { class: "soft" }, near.at >= 0 ? q.number(near.at + 1) + " of " + q.number(near.number) : "question " + row),
      q.el("button", { type: "button", class: "quiet", onclick: close, "aria-label": "Close" }, "✕"));
  }

  // Opens the dialog on a row of the index; close() is called when the reader closes it.
  q.showQuestion = async (dialog, row, close) => {
    const index = await q.index();
    if (!(row >= 0 && row < index.text.length)) return close();
    const detail = await q.question(row);
    if (!dialog.open) dialog.showModal();
    const drawing = q.el("div", {});
    dialog.replaceChildren(head(row, close), q.el("div", { class: "sheet" },
      q.el("div", { class: "lede" }, picture(detail, index, row),
        q.el("div", {}, q.el("h2", { dir: "auto" }, index.text[row]),
          q.el("p", { class: "reply" }, q.el("span", { class: "soft" }, "Answer "), q.el("b", {}, q.bdi(index.reply[row])), detail.aliases.length ? q.el("small", {}, " also: ", q.bdi(detail.aliases.join(", "))) : ""),
          q.el("p", { class: "badges" }, q.badges(index, row)),
          pairs([["Topic", q.facetOf(index, "topic", row)], ["Answer type", q.facetOf(index, "answer", row)], ["Unit", detail.unit], ["Precision", detail.precision],
            ["Split", q.facetOf(index, "split", row)], ["Written by", detail.writer], ["Seed", detail.name === detail.entity ? detail.entity : detail.name + " (" + detail.entity + ")"]]))),
      part("Path from the picture to the answer", drawing),
      evidence(detail), certificate(detail.certificate), verdicts(detail), q.episodes(index, row),
      detail.grounding || detail.provenance ? part("Grounding and provenance", pairs([["Grounding", detail.grounding], ["Provenance", detail.provenance]])) : "",
      q.el("p", { class: "small soft" }, "question " + detail.id + " · seed " + detail.seed)));
    const image = index.missingSet.has(detail.image) ? "" : detail.image;
    drawing.append(q.graph(detail.graph, image, drawing.clientWidth, "Path: "));
    dialog.scrollTop = 0;
  };
})(window.questloom);
