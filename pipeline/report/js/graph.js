"use strict";
// Draws the path or the evidence graph of a question: picture on the left (on top if the drawing would be too wide), answer at the far end.
//
// Nodes stand in layers by their distance from the picture; within a layer they are ordered by the mean place of
// their neighbours in the layer before. A claim's arrow points from its subject to its value.
(function (q) {
  const NODE = { width: 156, height: 62 };
  const GAP = { along: 118, across: 26 };
  const NARROW = 620;
  const SMALLEST = 0.75;  // a drawing is not scaled below that

  // Lines of at most `width` characters, `most` at most; the rest becomes an ellipsis.
  function lines(text, width, most) {
    const found = [""];
    for (const word of String(text).split(/\s+/)) {
      const last = found[found.length - 1];
      if (last && last.length + word.length + 1 > width) found.push(word);
      else found[found.length - 1] = last ? last + " " + word : word;
    }
    const cut = found.length > most ? [...found.slice(0, most - 1), found[most - 1] + " …"] : found;
    return cut.map((line) => line.length > width + 2 ? line.slice(0, width) + "…" : line);
  }

  function layersOf(graph) {
    const neighbours = new Map(graph.nodes.map((n) => [n.id, []]));
    for (const e of graph.edges) {
      neighbours.get(e.from).push(e.to);
      neighbours.get(e.to).push(e.from);
    }
    const layer = new Map([["picture", 0]]);
    for (const queue = ["picture"]; queue.length;) {
      const id = queue.shift();
      for (const next of neighbours.get(id)) if (!layer.has(next)) { layer.set(next, layer.get(id) + 1); queue.push(next); }
    }
    for (const n of graph.nodes) if (!layer.has(n.id)) layer.set(n.id, 1);  // a part that hangs together with nothing
    if (layer.has(graph.answer)) layer.set(graph.answer, Math.max(...layer.values()));
    const layers = [];
    for (const n of graph.nodes) (layers[layer.get(n.id)] = layers[layer.get(n.id)] || []).push(n);
    const filled = layers.filter(Boolean);
    const place = new Map();
    filled.forEach((nodes, at) => {
      const weight = (n) => {
        const seen = neighbours.get(n.id).map((m) => place.get(m)).filter((p) => p !== undefined);
        const mean = seen.length ? seen.reduce((a, b) => a + b, 0) / seen.length : 0.5;
        return mean + (n.kind === "constant" ? 0.01 : 0);
      };
      if (at) nodes.sort((a, b) => weight(a) - weight(b));
      nodes.forEach((n, i) => place.set(n.id, (i + 0.5) / nodes.length));
    });
    return filled;
  }

  // {id: {x, y}} of node centres, and the size of the drawing.
  function layout(layers, vertical) {
    const along = vertical ? NODE.height + 58 : NODE.width + GAP.along;
    const across = vertical ? NODE.width + 14 : NODE.height + GAP.across;
    const most = Math.max(...layers.map((nodes) => nodes.length));
    const spots = new Map();
    layers.forEach((nodes, at) => nodes.forEach((n, i) => {
      const a = at * along + (vertical ? NODE.height : NODE.width) / 2;
      const b = (i + 0.5 + (most - nodes.length) / 2) * across;
      spots.set(n.id, vertical ? { x: b, y: a } : { x: a, y: b });
    }));
    const length = (layers.length - 1) * along + (vertical ? NODE.height : NODE.width);
    return { spots, width: vertical ? most * across : length, height: vertical ? length : most * across };
  }

  // Where an edge leaves and enters, and its control points.
  function curve(a, b, vertical) {
    const level = vertical ? Math.abs(a.y - b.y) < 1 : Math.abs(a.x - b.x) < 1;
    const upright = vertical !== level;
    const sign = upright ? Math.sign(b.y - a.y) : Math.sign(b.x - a.x);
    const start = upright ? { x: a.x, y: a.y + sign * NODE.height / 2 } : { x: a.x + sign * NODE.width / 2, y: a.y };
    const end = upright ? { x: b.x, y: b.y - sign * (NODE.height / 2 + 3) } : { x: b.x - sign * (NODE.width / 2 + 3), y: b.y };
    const half = upright ? { x: 0, y: (end.y - start.y) / 2 } : { x: (end.x - start.x) / 2, y: 0 };
    const at = (t) => {
      const [a, b, c, d] = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3];
      const on = (axis) => a * start[axis] + b * (start[axis] + half[axis]) + c * (end[axis] - half[axis]) + d * end[axis];
      return { x: on("x"), y: on("y") };
    };
    return { path: `M${start.x} ${start.y} C${start.x + half.x} ${start.y + half.y} ${end.x - half.x} ${end.y - half.y} ${end.x} ${end.y}`, at };
  }

  const overlap = (a, b) => Math.max(0, Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x)) * Math.max(0, Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y));

  // The labels of the edges, each at the place on its edge where it covers least of the nodes and of the labels before it.
  function edgeLabels(edges, lineOf, spots) {
    const taken = [...spots.values()].map(({ x, y }) => ({ x: x - NODE.width / 2, y: y - NODE.height / 2, w: NODE.width, h: NODE.height }));
    return edges.map((e) => {
      const found = lines(e.label, 15, 3), w = 7 * Math.max(...found.map((line) => line.length)), h = 14 * found.length;
      const covers = (box) => taken.reduce((sum, other) => sum + overlap(box, other), 0);
      const places = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82].map(lineOf(e).at).map((p) => ({ ...p, box: { x: p.x - w / 2, y: p.y - h / 2, w, h } }));
      const best = places.reduce((a, b) => covers(b.box) < covers(a.box) ? b : a);
      taken.push(best.box);
      return label(best.x, best.y, e.label, 15, "relation", 3);
    });
  }

  function label(x, y, text, width, css, most = 2) {
    const found = lines(text, width, most);
    return q.svg("text", { x, y: y - (found.length - 1) * 7, class: css, "text-anchor": "middle" },
      q.svg("title", {}, text), found.map((line, i) => q.svg("tspan", { x, dy: i ? 14 : 4 }, line)));
  }

  function node(n, spot, image) {
    const { width, height } = NODE;
    const left = spot.x - width / 2, top = spot.y - height / 2;
    const parts = [q.svg("rect", { x: left, y: top, width, height, rx: n.kind === "operation" ? height / 2 : 9 })];
    if (n.kind === "picture" && image) {
      parts.push(q.svg("image", { href: "thumbnails/" + image + ".jpg", x: left + 3, y: top + 3, width: width - 6, height: height - 6, preserveAspectRatio: "xMidYMid meet" }));
    } else {
      parts.push(label(spot.x, spot.y - (n.sub ? 7 : 0), n.label, 19, "name"));
      if (n.sub) parts.push(label(spot.x, spot.y + 20, n.sub, 26, "sub"));
    }
    return q.svg("g", { class: "node " + n.kind }, parts);
  }

  // The drawing of {nodes, edges, answer} for a place of `room` pixels' width; `image` is the picture's id or "", `name` the label for screen readers.
  q.graph = (graph, image, room, name) => {
    const layers = layersOf(graph);
    const vertical = room < NARROW || layout(layers, false).width * SMALLEST > room;
    const { spots, width, height } = layout(layers, vertical);
    const names = new Map(graph.nodes.map((n) => [n.id, n.label]));
    const spoken = graph.edges.map((e) => `${names.get(e.from)} ${e.label || "to"} ${names.get(e.to)}`).join("; ");
    const lineOf = (e) => curve(spots.get(e.from), spots.get(e.to), vertical);
    const scale = Math.min(1, Math.max(room / (width + 8), vertical ? 0.5 : SMALLEST));
    return q.el("div", { class: "graph", tabindex: "0" },
      q.svg("svg", { viewBox: `-4 -4 ${width + 8} ${height + 8}`, width: (width + 8) * scale, height: (height + 8) * scale, role: "img", "aria-label": name + spoken },
        q.svg("defs", {}, q.svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 10, markerHeight: 10, markerUnits: "userSpaceOnUse", orient: "auto-start-reverse" },
          q.svg("path", { d: "M0 0 8 4 0 8z" }))),
        graph.edges.map((e) => q.svg("path", { class: "edge " + e.kind, d: lineOf(e).path, "marker-end": "url(#arrow)" })),
        graph.nodes.map((n) => node(n, spots.get(n.id), image)),
        edgeLabels(graph.edges.filter((e) => e.label), lineOf, spots)));
  };
})(window.questloom);
