"use strict";
// The audit sheet: marks are kept in the browser and saved as CSV. Nothing leaves the page.
(function () {
  const sheet = "questloom-audit-" + document.body.dataset.sheet;
  const columns = document.body.dataset.columns.split(" ");
  const articles = [...document.querySelectorAll("article")];

  // {column: mark} for one item.
  function marks(article) {
    const found = {};
    for (const field of article.querySelectorAll("[data-column]")) {
      if (field.type !== "radio" || field.checked) found[field.dataset.column] = field.value;
    }
    return found;
  }

  function keep(all) {
    try { localStorage.setItem(sheet, JSON.stringify(all)); } catch { /* no storage for local files: marks last as long as the page */ }
  }

  function update() {
    const all = {};
    let judged = 0;
    for (const article of articles) {
      const found = marks(article);
      const done = columns.every((c) => c === "code" || c === "remark" || found[c]);
      article.classList.toggle("judged", done);
      judged += done;
      all[article.dataset.code] = found;
    }
    document.getElementById("progress").textContent = judged + " of " + articles.length + " judged";
    return all;
  }

  function restore() {
    let all = null;
    try { all = JSON.parse(localStorage.getItem(sheet)); } catch { /* as above */ }
    for (const article of all ? articles : []) {
      for (const field of article.querySelectorAll("[data-column]")) {
        const mark = (all[article.dataset.code] || {})[field.dataset.column];
        if (field.type === "radio") field.checked = field.value === (mark || "");
        else field.value = mark || "";
      }
    }
  }

  const quoted = (text) => '"' + String(text).replaceAll('"', '""') + '"';

  // The sheet as CSV; a test calls this too.
  window.auditCsv = () => [columns.join(","), ...articles.map((article) => {
    const found = { ...marks(article), code: article.dataset.code };
    return columns.map((c) => quoted(found[c] || "")).join(",");
  })].join("\r\n") + "\r\n";

  document.addEventListener("change", () => keep(update()));
  document.getElementById("save").addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([window.auditCsv()], { type: "text/csv" }));
    link.download = "sheet.csv";
    link.click();
    URL.revokeObjectURL(link.href);
  });
  for (const image of document.querySelectorAll("article img")) {
    image.addEventListener("click", () => image.classList.toggle("large"));
    image.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === "Escape") image.classList.toggle("large", event.key === "Enter" && !image.classList.contains("large")); });
  }
  restore();
  update();
})();
