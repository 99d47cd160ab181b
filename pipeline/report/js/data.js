"use strict";
// Data are scripts that call questloom.put(name, value), since browsers refuse to fetch local files but load local scripts.
(function (q) {
  const arrived = new Map();
  const asked = new Map();

  q.put = (name, value) => arrived.set(name, value);

  // load("index") returns a promise of the value that data/index.js puts. Each file is loaded once.
  q.load = (name) => {
    if (!asked.has(name)) {
      asked.set(name, new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = "data/" + name + ".js";
        script.onload = () => arrived.has(name) ? resolve(arrived.get(name)) : reject(new Error(name + " holds nothing"));
        script.onerror = () => reject(new Error(name + " cannot be loaded"));
        document.head.append(script);
      }));
    }
    return asked.get(name);
  };

  q.chunk = (kind, number) => q.load(kind + "-" + String(number).padStart(4, "0"));

  // The detail of question `row` of the index.
  q.question = async (row) => {
    const { perChunk } = await q.load("index");
    return (await q.chunk("questions", Math.floor(row / perChunk)))[row % perChunk];
  };

  q.settings = JSON.parse(document.body.dataset.settings);
})(window.questloom);
