// Flame graphs on canvases: filters one call tree and lays it out.
(function () {
  "use strict";
  const ROW = 18, NARROWEST = 0.3, FONT = '11px system-ui, "DejaVu Sans", sans-serif';
  const NODE = 0, THREAD = 1, PHASE = 2, SIGNPOST = 3, FRAMES = 4, STATE = 5, BASE = 6, NOW = 7;
  const STRIDE = 8;
  const KINDS = [[28, 82, 66], [200, 45, 70], [45, 22, 74], [155, 38, 66], [0, 0, 78], [285, 30, 76]];
  const dark = matchMedia("(prefers-color-scheme: dark)");

  const UNITS = {
    time: ["ns", "us", "ms", "s"], size: ["B", "kB", "MB", "GB"], count: ["", "k", "M", "G"],
  };
  const RUNNING = 0, OF_MEMORY = [3, 4, 5];

  function human(value, units) {
    const size = Math.abs(value);
    const step = size >= 1e9 ? 3 : size >= 1e6 ? 2 : size >= 1e3 ? 1 : 0;
    return Number((value / 10 ** (3 * step)).toPrecision(4)) + (units[step] && " ") + units[step];
  }

  function share(part, whole) { return whole > 0 ? (part / whole * 100).toFixed(1) + "%" : "-"; }

  function shorten(text, count) {
    if (count < 3) return "";
    if (text.length <= count) return text;
    const front = Math.floor((count - 1) / 2);
    return text.slice(0, front) + "\u2026" + text.slice(text.length - (count - 1 - front));
  }

  // Returns the filtered samples as a tree of {f: function, own, total: [before, now], children}.
  function build(data, filter) {
    const own = new Map();
    for (let i = 0; i < data.rows.length; i += STRIDE) {
      if (data.rows[i + STATE] !== filter.state) continue;
      if (filter.thread >= 0 && data.rows[i + THREAD] !== filter.thread) continue;
      if (filter.phase >= 0 && data.rows[i + PHASE] !== filter.phase) continue;
      if (filter.signpost >= 0 && data.rows[i + SIGNPOST] !== filter.signpost) continue;
      if (filter.frames >= 0 && data.rows[i + FRAMES] !== filter.frames) continue;
      const node = data.rows[i + NODE], sum = own.get(node) || [0, 0];
      sum[0] += data.rows[i + BASE];
      sum[1] += data.rows[i + NOW];
      own.set(node, sum);
    }
    const root = { f: -1, own: [0, 0], total: [0, 0], parent: null, below: new Map() };
    for (const [leaf, weight] of own) {
      const path = [];
      for (let node = leaf; node >= 0; node = data.parents[node]) path.push(data.nodes[node]);
      if (!filter.reversed) path.reverse();
      let at = root;
      at.total[0] += weight[0];
      at.total[1] += weight[1];
      for (const f of path) {
        let next = at.below.get(f);
        if (!next) {
          next = { f, own: [0, 0], total: [0, 0], parent: at, below: new Map() };
          at.below.set(f, next);
        }
        next.total[0] += weight[0];
        next.total[1] += weight[1];
        at = next;
      }
      at.own[0] += weight[0];
      at.own[1] += weight[1];
    }
    (function finish(node) {
      node.width = node.total[0] + node.total[1];
      node.children = [...node.below.values()];
      node.children.forEach(finish);
      node.children.sort((a, b) => b.width - a.width || a.f - b.f);
      node.below = null;
    })(root);
    return root;
  }

  class Flame {
    constructor(element, data) {
      this.element = element;
      this.data = data;
      this.canvas = element.querySelector("canvas");
      this.detail = element.querySelector(".detail");
      this.real = data.real && new Set(data.real);
      this.term = "";
      this.selected = null;
      this.control = (name) => element.querySelector(`[data-flame=${name}]`);
      this.fill("thread", data.threads);
      this.fill("phase", data.phases.map((name) => name || "none"));
      this.fill("signpost", data.signposts.map((name) => name || "none"));
      this.limit("frames", FRAMES);
      const running = this.control("state").querySelector(`option[value="${RUNNING}"]`);
      running.textContent = data.measure;
      this.limit("state", STATE);
      this.control("frames").value = element.dataset.frames;
      for (const name of ["order", "thread", "phase", "signpost", "frames", "state"]) {
        this.control(name).addEventListener("change", () => this.rebuild());
      }
      this.control("search").addEventListener("input", () => {
        this.term = this.control("search").value.toLowerCase();
        this.draw();
        this.report();
      });
      this.control("reset").addEventListener("click", () => this.reset());
      this.canvas.addEventListener("mousemove", (event) => this.hover(event));
      this.canvas.addEventListener("mouseleave", () => window.perfkitTip(null));
      this.canvas.addEventListener("click", (event) => {
        const box = this.boxAt(event);
        if (box) this.zoom(box.node);
      });
      this.canvas.addEventListener("keydown", (event) => this.key(event));
      dark.addEventListener("change", () => this.draw());
      new ResizeObserver(() => this.draw()).observe(this.canvas.parentElement);
      this.rebuild();
    }

    fill(name, labels) {
      const select = this.control(name);
      labels.forEach((label, index) => select.add(new Option(label, index)));
      if (labels.length < 2) select.parentElement.hidden = true;
    }

    // Removes choices without samples.
    limit(name, column) {
      const present = new Set();
      const { rows } = this.data;
      for (let i = 0; i < rows.length; i += STRIDE) present.add(String(rows[i + column]));
      const select = this.control(name);
      for (const option of [...select.options]) {
        if (option.value !== "-1" && !present.has(option.value)) option.remove();
      }
      if (select.options.length < 2 || present.size < 2) select.parentElement.hidden = true;
    }

    rebuild() {
      const number = (name) => Number(this.control(name).value);
      this.root = build(this.data, {
        reversed: this.control("order").value === "up", thread: number("thread"),
        phase: number("phase"), signpost: number("signpost"), frames: number("frames"),
        state: number("state"),
      });
      this.zoom(this.root);
    }

    reset() {
      for (const name of ["thread", "phase", "signpost"]) this.control(name).value = "-1";
      this.control("frames").value = this.element.dataset.frames;
      this.control("order").value = "down";
      this.control("search").value = this.term = "";
      this.rebuild();
    }

    zoom(node) {
      this.top = node;
      this.selected = node;
      this.draw();
      this.report();
    }

    layout(width) {
      const boxes = [];
      const above = [];
      for (let node = this.top; node; node = node.parent) above.unshift(node);
      above.forEach((node, depth) => boxes.push({ node, x: 0, w: width, depth, above: node !== this.top }));
      (function place(node, x, w, depth) {
        let narrow = 0, start = 0;
        for (const child of node.children) {
          const part = node.width > 0 ? child.width / node.width * w : 0;
          if (part < NARROWEST) {
            if (narrow === 0) start = x;
            narrow += part;
          } else {
            boxes.push({ node: child, x, w: part, depth });
            place(child, x, part, depth + 1);
          }
          x += part;
        }
        if (narrow >= NARROWEST) boxes.push({ node: null, x: start, w: narrow, depth });
      })(this.top, 0, width, above.length);
      return boxes;
    }

    draw() {
      const width = this.canvas.parentElement.clientWidth;
      if (width === 0) return;
      this.boxes = this.layout(width);
      const rows = Math.max(...this.boxes.map((box) => box.depth)) + 1;
      const scale = window.devicePixelRatio || 1;
      this.canvas.width = width * scale;
      this.canvas.height = rows * ROW * scale;
      this.canvas.style.height = rows * ROW + "px";
      const context = this.canvas.getContext("2d");
      context.scale(scale, scale);
      context.font = FONT;
      const character = context.measureText("abcdefghijklmnopqrstuvwxyz").width / 26;
      for (const box of this.boxes) this.drawBox(context, box, character);
    }

    drawBox(context, box, character) {
      const y = box.depth * ROW;
      context.globalAlpha = box.above ? 0.55 : 1;
      context.fillStyle = this.colour(box.node);
      context.fillRect(box.x, y, Math.max(box.w - 0.5, 0.3), ROW - 1);
      if (box.node && box.node === this.selected && document.activeElement === this.canvas) {
        context.strokeStyle = dark.matches ? "#fff" : "#000";
        context.lineWidth = 1.5;
        context.strokeRect(box.x + 0.75, y + 0.75, Math.max(box.w - 2, 1), ROW - 2.5);
      }
      const label = box.node ? this.fit(context, this.name(box.node), box.w - 7, character) : "";
      if (label) {
        context.fillStyle = dark.matches ? "#f1f3f5" : "#14171b";
        context.fillText(label, box.x + 4, y + 12.5);
      }
      context.globalAlpha = 1;
    }

    // Characters differ in width, so the estimated length is corrected by measuring.
    fit(context, name, width, character) {
      let count = Math.min(name.length, Math.floor(width / character * 1.2));
      let label = shorten(name, count);
      while (label && context.measureText(label).width > width) label = shorten(name, --count);
      return label;
    }

    name(node) { return node.f < 0 ? "all" : this.data.functions[node.f][0]; }

    matches(node) {
      return this.term !== "" && node.f >= 0 && this.name(node).toLowerCase().includes(this.term);
    }

    colour(node) {
      const shift = dark.matches ? -26 : 0;
      if (node && this.matches(node)) return dark.matches ? "#9b30a0" : "#e58be8";
      if (!node || node.f < 0) return `hsl(210 6% ${dark.matches ? 28 : 86}%)`;
      const [, , kind, shade] = this.data.functions[node.f];
      if (!this.data.difference) {
        const [hue, saturation, lightness] = KINDS[kind];
        return `hsl(${hue} ${saturation - (dark.matches ? 22 : 0)}% ${lightness + shade + shift}%)`;
      }
      const [before, now] = node.total;
      if (before + now <= 0 || (this.real && !this.real.has(node.f))) {
        return `hsl(210 6% ${dark.matches ? 30 : 82}%)`;
      }
      const change = (now - before) / (now + before);
      const lightness = dark.matches ? 28 + 18 * Math.abs(change) : 90 - 34 * Math.abs(change);
      return `hsl(${change > 0 ? 8 : 212} ${12 + 63 * Math.abs(change)}% ${lightness}%)`;
    }

    units() {
      const state = Number(this.control("state").value);
      if (state === RUNNING) return UNITS[this.data.dimension];
      return OF_MEMORY.includes(state) ? UNITS.size : UNITS.time;
    }

    describe(node) {
      const amount = (value) => human(value, this.units());
      const each = this.data.perLaunch ? " per launch" : "";
      const place = node.f < 0 ? "all" : `${this.name(node)}\n${this.data.functions[node.f][1]}`;
      const [before, now] = node.total;
      const [ownBefore, ownNow] = node.own;
      if (this.data.difference) {
        const sign = now > before ? "+" : "";
        const noise = node.f >= 0 && this.real && !this.real.has(node.f) ? ", may be noise" : "";
        return `${place}\ntotal${each} ${amount(before)} before, ${amount(now)} after: `
          + `${sign}${amount(now - before)}${noise}\nself${each} ${amount(ownBefore)} before, `
          + `${amount(ownNow)} after`;
      }
      const whole = this.root.total[1];
      return `${place}\ntotal ${amount(now)}${each}, ${share(now, whole)}`
        + `\nself ${amount(ownNow)}${each}, ${share(ownNow, whole)}`;
    }

    report() {
      let text = this.root.width > 0 ? this.describe(this.selected || this.top).replace(/\n/g, " \u00b7 ")
        : "No samples match this selection.";
      if (this.term !== "") {
        let hits = 0;
        (function count(flame, node) {
          if (flame.matches(node)) hits += node.width;
          else node.children.forEach((child) => count(flame, child));
        })(this, this.root);
        text += ` \u00b7 ${share(hits, this.root.width)} of the weight matches \u201c${this.term}\u201d`;
      }
      this.detail.textContent = text;
      const node = this.selected || this.top;
      const source = node.f >= 0 && this.data.sources[node.f];
      if (source) this.detail.append(" \u00b7 ", this.link(source));
    }

    // Returns a link that opens the source lines with this id.
    link(source) {
      const link = document.createElement("a");
      link.href = `#${source}`;
      link.textContent = "source";
      link.addEventListener("click", () => { document.getElementById(source).open = true; });
      return link;
    }

    boxAt(event) {
      const rect = this.canvas.getBoundingClientRect();
      const x = event.clientX - rect.left, depth = Math.floor((event.clientY - rect.top) / ROW);
      return this.boxes.find((b) => b.node && b.depth === depth && x >= b.x && x < b.x + b.w);
    }

    hover(event) {
      const box = this.boxAt(event);
      window.perfkitTip(box ? this.describe(box.node) : null, event);
    }

    key(event) {
      const node = this.selected || this.top;
      const row = node.parent ? node.parent.children : [node];
      const moves = {
        ArrowDown: () => node.children[0], ArrowUp: () => node.parent,
        ArrowRight: () => row[row.indexOf(node) + 1], ArrowLeft: () => row[row.indexOf(node) - 1],
      };
      if (event.key in moves) {
        this.selected = moves[event.key]() || node;
        this.draw();
        this.report();
      } else if (event.key === "Enter") {
        this.zoom(node);
      } else if (event.key === "Escape") {
        this.reset();
      } else {
        return;
      }
      event.preventDefault();
    }
  }

  for (const element of document.querySelectorAll(".flame")) {
    const source = document.getElementById(element.dataset.source);
    source.parsed = source.parsed || JSON.parse(source.textContent);
    new Flame(element, source.parsed);
  }
})();
