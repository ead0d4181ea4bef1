// Flame graphs on canvases: the controls, the layout and the drawing of a call tree.
(function () {
  "use strict";
  const ROW = 18, NARROWEST = 0.3, FONT = '11px system-ui, "DejaVu Sans", sans-serif';
  const OF_MEMORY = [3, 4, 5], OF_NUMBERS = [7];
  const { tree, palette, tip, human, isDark } = perfkit;

  function share(part, whole) { return whole > 0 ? (part / whole * 100).toFixed(1) + "%" : "-"; }

  function shorten(text, count) {
    if (count < 3) return "";
    if (text.length <= count) return text;
    const front = Math.floor((count - 1) / 2);
    return text.slice(0, front) + "\u2026" + text.slice(text.length - (count - 1 - front));
  }

  class Flame {
    constructor(element, data) {
      this.element = element;
      this.data = data;
      this.canvas = element.querySelector("canvas");
      this.detail = element.querySelector(".detail");
      this.real = data.real && new Set(data.real);
      this.names = data.functions.map(([name]) => name.toLowerCase());
      this.hits = new Set();
      this.term = "";
      this.period = null;
      this.control = (name) => element.querySelector(`[data-flame=${name}]`);
      this.fill("thread", data.threads);
      this.fill("phase", data.phases.map((name) => name || "none"));
      this.fill("signpost", data.signposts.map((name) => name || "none"));
      this.limit("frames", tree.FRAMES);
      const running = this.control("state").querySelector(`option[value="${tree.RUNNING}"]`);
      running.textContent = data.measure;
      this.limit("state", tree.STATE);
      this.control("frames").value = element.dataset.frames;
      for (const name of ["order", "thread", "phase", "signpost", "frames", "state"]) {
        this.control(name).addEventListener("change", () => this.rebuild());
      }
      this.control("search").addEventListener("input", () => this.search());
      this.control("reset").addEventListener("click", () => this.reset());
      this.control("whole").addEventListener("click", () => this.show(null));
      this.canvas.addEventListener("mousemove", (event) => {
        const box = this.boxAt(event);
        tip(box ? this.describe(box.node) : null, event);
      });
      this.canvas.addEventListener("mouseleave", () => tip(null));
      this.canvas.addEventListener("click", (event) => this.open(this.boxAt(event)?.node));
      this.canvas.addEventListener("keydown", (event) => this.key(event));
      for (const name of ["focus", "blur"]) this.canvas.addEventListener(name, () => this.draw());
      perfkit.onColours(() => this.draw());
      perfkit.onWidth(this.canvas.parentElement, () => this.draw());
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
      for (let i = 0; i < rows.length; i += tree.STRIDE) present.add(String(rows[i + column]));
      const select = this.control(name);
      for (const option of [...select.options]) {
        if (option.value !== "-1" && !present.has(option.value)) option.remove();
      }
      if (select.options.length < 2 || present.size < 2) select.parentElement.hidden = true;
    }

    // Shows the samples of a period {samples, from, to, label} of a launch; null shows all samples.
    show(period) {
      this.period = period;
      const note = this.element.querySelector(".period");
      note.hidden = period === null;
      if (period) note.querySelector("span").textContent = `Only ${period.label}.`;
      const [changes, kinds] = this.element.querySelectorAll(".legend");
      if (kinds) [changes.hidden, kinds.hidden] = [period !== null, period === null];
      for (const name of ["thread", "phase", "signpost"]) this.control(name).value = "-1";
      this.control("frames").value = period ? "-1" : this.element.dataset.frames;
      this.rebuild();
    }

    // Builds the tree of the chosen samples, around the selected function if this is the order.
    rebuild() {
      const number = (name) => Number(this.control(name).value);
      const filter = {
        thread: number("thread"), phase: number("phase"), signpost: number("signpost"),
        frames: number("frames"), state: number("state"), period: this.period,
      };
      const order = this.control("order").value;
      const f = order === "around" ? this.chosenFunction(filter) : -1;
      this.callers = null;
      if (f >= 0) {
        const { callees, callers } = tree.around(this.data, filter, f);
        this.callers = callers;
        this.root = callees;
        this.whole = tree.build(this.data, filter, false).total;
      } else {
        this.root = tree.build(this.data, filter, order === "up");
        this.whole = this.root.total;
      }
      this.zoom(this.root);
    }

    // Returns the selected function, or the one with the most weight of its own; -1 without samples.
    chosenFunction(filter) {
      if (this.selected && this.selected.f >= 0) return this.selected.f;
      const [first] = tree.build(this.data, filter, true).children;
      return first ? first.f : -1;
    }

    reset() {
      this.selected = null;
      this.control("order").value = "down";
      this.control("search").value = "";
      this.show(null);
      this.search();
    }

    search() {
      this.term = this.control("search").value;
      const term = this.term.toLowerCase();
      this.hits = new Set();
      if (term !== "") {
        this.names.forEach((name, f) => { if (name.includes(term)) this.hits.add(f); });
      }
      this.draw();
      this.report();
    }

    // Zooms to a node, or shows the callers and callees of its function if this is the order.
    open(node) {
      if (!node) return;
      if (!this.callers) return this.zoom(node);
      this.selected = node;
      this.rebuild();
    }

    zoom(node) {
      this.top = node;
      this.selected = node;
      this.draw();
      this.report();
    }

    draw() {
      const width = this.canvas.parentElement.clientWidth;
      if (width === 0) return;
      this.boxes = tree.layout(this.top, this.callers, width, NARROWEST);
      const rows = this.boxes.reduce((most, box) => Math.max(most, box.depth), 0) + 1;
      const context = perfkit.context(this.canvas, width, rows * ROW);
      context.font = FONT;
      const character = context.measureText("abcdefghijklmnopqrstuvwxyz").width / 26;
      for (const box of this.boxes) this.drawBox(context, box, character);
      for (const key of this.element.querySelectorAll("[data-colour]")) {
        key.style.background = palette.legend(key.dataset.colour);
      }
    }

    drawBox(context, box, character) {
      const y = box.depth * ROW;
      context.globalAlpha = box.above ? 0.55 : 1;
      context.fillStyle = this.colour(box.node);
      context.fillRect(box.x, y, Math.max(box.w - 0.5, 0.3), ROW - 1);
      const isFocused = document.activeElement === this.canvas;
      if (box.node && (box.node === this.selected && isFocused || this.isCentre(box.node))) {
        context.strokeStyle = isDark() ? "#fff" : "#000";
        context.lineWidth = 1.5;
        context.strokeRect(box.x + 0.75, y + 0.75, Math.max(box.w - 2, 1), ROW - 2.5);
      }
      const label = box.node ? this.fit(context, this.name(box.node), box.w - 7, character) : "";
      if (label) {
        context.fillStyle = isDark() ? "#f1f3f5" : "#14171b";
        context.fillText(label, box.x + 4, y + 12.5);
      }
      context.globalAlpha = 1;
    }

    isCentre(node) { return this.callers !== null && node === this.root; }

    // Characters differ in width, so the estimated length is corrected by measuring.
    fit(context, name, width, character) {
      let count = Math.min(name.length, Math.floor(width / character * 1.2));
      let label = shorten(name, count);
      while (label && context.measureText(label).width > width) label = shorten(name, --count);
      return label;
    }

    name(node) { return node.f < 0 ? "all" : this.data.functions[node.f][0]; }

    // A period is of one side.
    isDifference() { return this.data.difference && this.period === null; }

    isNoise(node) { return node.f >= 0 && this.real !== null && !this.real.has(node.f); }

    colour(node) {
      if (node && this.hits.has(node.f)) return isDark() ? "#9b30a0" : "#e58be8";
      if (!node || node.f < 0) return `hsl(210 6% ${isDark() ? 28 : 86}%)`;
      const [, , kind, shade] = this.data.functions[node.f];
      if (!this.isDifference()) return palette.kind(kind, shade);
      const [before, now] = node.total;
      if (before + now <= 0 || this.isNoise(node)) return palette.grey();
      return palette.change((now - before) / (now + before));
    }

    dimension() {
      const state = Number(this.control("state").value);
      if (state === tree.RUNNING) return this.data.dimension;
      if (OF_NUMBERS.includes(state)) return "count";
      return OF_MEMORY.includes(state) ? "size" : "time";
    }

    describe(node) {
      const amount = (value) => human(value, this.dimension());
      const each = this.data.perLaunch && !this.period ? " per launch" : "";
      const place = node.f < 0 ? "all" : `${this.name(node)}\n${this.data.functions[node.f][1]}`;
      const [before, now] = node.total, [ownBefore, ownNow] = node.own;
      if (this.isDifference()) {
        const sign = now > before ? "+" : "";
        return `${place}\ntotal${each} ${amount(before)} before, ${amount(now)} after: `
          + `${sign}${amount(now - before)}${this.isNoise(node) ? ", may be noise" : ""}`
          + `\nself${each} ${amount(ownBefore)} before, ${amount(ownNow)} after`;
      }
      const whole = this.whole[1];
      const total = `${amount(now)}${each}, ${share(now, whole)}`;
      if (node.isCaller) return `${place}\ncalls ${this.name(this.root)}\nfor ${total}`;
      return `${place}\ntotal ${total}\nself ${amount(ownNow)}${each}, ${share(ownNow, whole)}`;
    }

    report() {
      const node = this.selected;
      let text = this.root.width > 0 ? this.describe(node).replace(/\n/g, " \u00b7 ")
        : "No samples match this selection.";
      if (this.term !== "") {
        text += ` \u00b7 ${share(this.matched(this.root), this.root.width)} of the weight matches `
          + `\u201c${this.term}\u201d`;
      }
      this.detail.textContent = text;
      const source = node.f >= 0 && this.data.sources[node.f];
      if (source) this.detail.append(" \u00b7 ", this.link(source));
    }

    // Returns the weight of the outermost nodes that match the search.
    matched(node) {
      if (this.hits.has(node.f)) return node.width;
      return node.children.reduce((sum, child) => sum + this.matched(child), 0);
    }

    // Returns a link to the source lines with this id.
    link(source) {
      const link = document.createElement("a");
      link.href = `#${source}`;
      link.textContent = "source";
      return link;
    }

    boxAt(event) {
      const rect = this.canvas.getBoundingClientRect();
      const x = event.clientX - rect.left, depth = Math.floor((event.clientY - rect.top) / ROW);
      return this.boxes.find((b) => b.node && b.depth === depth && x >= b.x && x < b.x + b.w);
    }

    key(event) {
      const node = this.selected;
      const row = node.parent ? node.parent.children : [node];
      const inward = node.parent === this.callers ? this.root : node.parent;
      const outward = this.isCentre(node) ? this.callers.children[0] : node.parent;
      const moves = {
        ArrowDown: () => node.isCaller ? inward : node.children[0],
        ArrowUp: () => node.isCaller ? node.children[0] : outward,
        ArrowRight: () => row[row.indexOf(node) + 1], ArrowLeft: () => row[row.indexOf(node) - 1],
      };
      const actions = {
        Enter: () => this.open(node), Escape: () => this.reset(),
        c: () => {
          this.control("order").value = "around";
          this.rebuild();
        },
      };
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key in moves) {
        this.selected = moves[event.key]() || node;
        this.draw();
        this.report();
      } else if (event.key in actions) {
        actions[event.key]();
      } else {
        return;
      }
      event.preventDefault();
    }
  }

  for (const element of document.querySelectorAll(".flame")) {
    perfkit.flames[element.id] = new Flame(element, perfkit.data(element.dataset.source));
  }
})();
