"use strict";
// The rejected items, with some examples for each reason.
(function (q) {
  let made = false;

  function example(one, missing) {
    return q.el("article", { class: "card" },
      one.image !== undefined ? q.el("div", { class: "cover" }, q.picture(one.image, one.phrase, missing)) : "",
      q.el("div", { class: "body" },
        q.el("h3", { dir: "auto" }, one.text || one.title),
        one.reply ? q.answer(one.reply, false) : "",
        one.other ? q.el("p", { class: "small" }, "It repeats ", one.otherRow === null ? q.bdi(one.other) : q.el("a", { href: "#question/" + one.otherRow }, one.other)) : "",
        one.evidence ? q.el("p", { class: "evidence small" }, q.bdi(one.evidence)) : "",
        one.level ? q.el("p", { class: "badges" }, q.badge(one.level), q.badge(one.method)) : ""));
  }

  q.showRejected = async (section) => {
    if (made) return;
    made = true;
    const [groups, index] = await Promise.all([q.load("rejected"), q.load("index")]);
    const missing = new Set(index.missing);
    if (!groups.length) section.append(q.el("p", { class: "notice" }, "Nothing was rejected."));
    const parts = [];
    for (const group of groups) {
      parts.push(q.el("section", { class: "group" },
        q.el("h2", {}, group.reason, " ", q.el("span", { class: "pill" }, q.number(group.number)), q.el("small", {}, " in " + group.stage)),
        q.el("p", { class: "lead" }, group.about),
        q.el("div", { class: "cards" }, group.examples.map((one) => example(one, missing)))));
    }
    section.append(q.el("nav", { class: "jump", "aria-label": "Reasons" }, groups.map((group, i) => q.el("button", { type: "button", onclick: () => parts[i].scrollIntoView() },
      group.reason + " ", q.el("span", { class: "soft" }, q.number(group.number))))), ...parts);
  };
})(window.questloom);
