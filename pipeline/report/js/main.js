"use strict";
// The address decides which view is shown: #overview, #questions?level=hard, #question/12, #episodes, #episode/12/0, #rejected, #seeds?reason=leak.
(function (q) {
  const views = { overview: null, questions: q.showQuestions, rejected: q.showRejected, seeds: q.showSeeds };
  if (document.getElementById("episodes")) views.episodes = q.showEpisodes;  // a teacher has played
  const dialog = document.getElementById("detail");

  const parse = () => {
    const [place, query] = location.hash.slice(1).split("?");
    return { place: place || "overview", wanted: Object.fromEntries(new URLSearchParams(query || "")) };
  };

  let shown = null;  // the address of the list as it stands; coming back to it from a question leaves it as it is
  const close = () => { location.hash = shown; };

  // Writes the filters of a view into the address, so that it can be kept and shared.
  q.remember = (view, filters) => {
    const query = new URLSearchParams(filters).toString();
    shown = "#" + view + (query ? "?" + query : "");
    if (!/^#(question|episode)\//.test(location.hash)) history.replaceState(null, "", shown);
  };

  async function show(view, wanted) {
    shown = "#" + view;
    for (const name of Object.keys(views)) {
      document.getElementById(name).hidden = name !== view;
      const link = document.querySelector(`nav a[data-view="${name}"]`);
      if (name === view) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    window.scrollTo(0, 0);
    if (views[view]) await views[view](document.getElementById(view), wanted);
  }

  async function route() {
    const { place, wanted } = parse();
    const [view, number, at] = place.split("/");
    try {
      if (view === "question") {
        if (!shown) await show("questions", {});
        await q.showQuestion(dialog, Number(number), close);
        return;
      }
      if (view === "episode") {
        if (!shown) await show("episodes" in views ? "episodes" : "questions", {});
        await q.showEpisode(dialog, Number(number), Number(at), close);
        return;
      }
      if (dialog.open) dialog.close();
      if (view in views && location.hash !== shown) await show(view, wanted);
    } catch (error) {
      document.querySelector("main").prepend(q.el("p", { class: "notice", role: "alert" },
        "Something of this report cannot be shown: " + error.message + ". Keep the folder together, or build it again."));
    }
  }

  const root = document.documentElement;
  const remembered = (theme) => {
    try {
      if (theme === undefined) return localStorage.getItem("questloom-theme");
      localStorage.setItem("questloom-theme", theme);
    } catch { /* storage may be closed to local files: the choice then lasts as long as the page */ }
    return null;
  };
  const theme = remembered();
  if (theme === "dark" || theme === "light") root.dataset.theme = theme;
  document.getElementById("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    remembered(root.dataset.theme);
  });

  for (const button of document.querySelectorAll("[data-more]")) {
    button.addEventListener("click", () => {
      for (const rest of button.parentNode.querySelectorAll(".rest")) rest.hidden = false;
      button.remove();
    });
  }

  dialog.addEventListener("cancel", (event) => { event.preventDefault(); close(); });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) close(); });
  document.addEventListener("keydown", (event) => {
    if (!dialog.open || !parse().place.startsWith("question/") || (event.key !== "ArrowLeft" && event.key !== "ArrowRight")) return;
    const near = q.neighbours(Number(parse().place.split("/")[1]));
    const to = event.key === "ArrowLeft" ? near.before : near.after;
    if (to !== null) location.hash = "question/" + to;
  });
  window.addEventListener("hashchange", route);
  route();
})(window.questloom);
