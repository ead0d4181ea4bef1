// Timelines on canvases: frames, phases, signposts, CPU and memory of a launch on one axis.
(function () {
  "use strict";
  const SHORTEST = 20;
  const { events, tracks, tip, numbers } = perfkit;
  const { time, moment, amount, TITLES } = tracks;

  class Timeline {
    constructor(element, data) {
      this.element = element;
      this.data = data;
      this.canvas = element.querySelector("canvas");
      this.detail = element.querySelector(".detail");
      this.control = (name) => element.querySelector(`[data-timeline=${name}]`);
      const launches = this.control("launch");
      data.launches.forEach(({ number, missed, frames }, index) => {
        launches.add(new Option(frames === "" ? number : `${number}: ${missed} missed`, index));
      });
      launches.value = data.shown;
      launches.parentElement.hidden = data.launches.length < 2;
      launches.addEventListener("change", () => this.choose(Number(launches.value)));
      const clicks = {
        previous: () => this.step(-1), next: () => this.step(1), in: () => this.scale(0.5),
        out: () => this.scale(2), reset: () => this.reset(), flame: () => this.showPeriod(),
      };
      for (const name in clicks) {
        const button = this.control(name);
        if (button) button.addEventListener("click", clicks[name]);
      }
      const drags = { pointerdown: "press", pointermove: "move", pointerup: "release" };
      for (const name in drags) {
        this.canvas.addEventListener(name, (event) => this[drags[name]](event));
      }
      this.canvas.addEventListener("pointercancel", () => { this.drag = null; });
      this.canvas.addEventListener("pointerleave", () => tip(null));
      this.canvas.addEventListener("dblclick", () => {
        // Its first click may have opened a frame.
        const flame = perfkit.flames.flame;
        if (flame && flame.period) flame.show(null);
        this.reset();
      });
      this.canvas.addEventListener("keydown", (event) => this.key(event));
      perfkit.onColours(() => this.draw());
      perfkit.onWidth(this.canvas.parentElement, () => this.draw());
      perfkit.timelines[element.id] = this;
      this.choose(data.shown);
    }

    choose(index) {
      this.launch = events.read(this.data.launches[index]);
      this.hitches = this.launch.frames.filter((frame) => frame.hitch > 0);
      this.drag = null;
      for (const name of ["previous", "next"]) {
        const button = this.control(name);
        if (button) button.disabled = this.hitches.length === 0;
      }
      const flame = this.control("flame");
      if (flame) flame.disabled = this.launch.samples === "";
      const coloured = this.launch.spans.filter((span) => !tracks.isEvent(span));
      const names = [...new Set(coloured.map((span) => span.name))].slice(0, 12);
      const legend = this.element.querySelector(".names");
      legend.replaceChildren(...names.map((name) => {
        const entry = document.createElement("span"), key = document.createElement("i");
        key.dataset.span = name;
        entry.append(key, this.data.names[name]);
        return entry;
      }));
      // Both sides of a comparison have the same axes.
      const timelines = Object.values(perfkit.timelines);
      const axes = events.axes(timelines.map((timeline) => timeline.launch));
      for (const timeline of timelines) {
        timeline.axes = axes;
        timeline.reset();
      }
    }

    reset() {
      clearTimeout(this.scroll);
      this.frame = null;
      this.zoom(0, this.axes.end);
    }

    // Shows a period in microseconds, within the axis.
    zoom(from, to) {
      const span = Math.min(Math.max(to - from, SHORTEST), this.axes.end);
      this.from = Math.min(Math.max(from, 0), this.axes.end - span);
      this.to = this.from + span;
      this.draw();
      this.report();
    }

    // Zooms around the chosen frame, or the middle.
    scale(factor) {
      const middle = this.frame ? this.frame.began + this.frame.cost / 2 : (this.from + this.to) / 2;
      const half = (this.to - this.from) / 2 * factor;
      this.zoom(middle - half, middle + half);
    }

    // Chooses the next or previous hitch and moves it into view.
    step(direction) {
      const at = this.frame ? this.frame.began : direction > 0 ? -1 : Infinity;
      const later = this.hitches.filter((frame) => direction > 0 ? frame.began > at : frame.began < at);
      const next = direction > 0 ? later[0] : later[later.length - 1];
      if (!next) return;
      this.frame = next;
      const span = this.to - this.from, end = next.began + next.cost;
      const isVisible = next.began >= this.from && end <= this.to;
      const from = isVisible ? this.from : (next.began + end - span) / 2;
      this.zoom(from, from + span);
    }

    // Shows the flame graph of the chosen frame.
    open(frame) {
      this.frame = frame;
      this.draw();
      this.report();
      const words = `frame ${frame.number}, ${time(frame.cost)}`;
      this.showFlame(frame.began, frame.began + frame.cost, words);
    }

    showPeriod() {
      if (this.frame) this.open(this.frame);
      else this.showFlame(this.from, this.to, this.periodWords());
    }

    showFlame(from, to, words) {
      const flame = perfkit.flames.flame;
      if (!this.launch.samples || !flame) return;
      this.samples = this.samples || new Map();
      const { number, samples } = this.launch;
      if (!this.samples.has(number)) this.samples.set(number, numbers(samples));
      const label = `samples of launch ${number}, ${words}`;
      flame.show({ samples: this.samples.get(number), from, to, label });
      // At once, it would move the canvas away from the second click of a double click.
      this.scroll = setTimeout(() => flame.element.scrollIntoView({ block: "nearest" }), 300);
    }

    // MARK: Drawing

    x(time) { return (time - this.from) / (this.to - this.from) * this.width; }

    timeAt(x) { return this.from + x / this.width * (this.to - this.from); }

    draw() {
      this.width = this.canvas.parentElement.clientWidth;
      if (this.width === 0) return;
      this.shownTracks = tracks.list(this.launch);
      tracks.draw(this.canvas, this);
      for (const key of this.element.querySelectorAll("[data-span]")) {
        key.style.background = perfkit.palette.span(Number(key.dataset.span));
      }
    }

    // MARK: Reading

    // The microseconds on both sides of the pointer in which narrow marks are found: three pixels.
    slack() { return 3 / this.width * (this.to - this.from); }

    // Returns the frame at a time and height.
    frameAt(x, y) {
      const track = this.shownTracks.find(({ name }) => name === "frames");
      if (!track || y < track.y || y > track.y + track.height) return null;
      const slack = this.slack(), at = this.timeAt(x);
      const distance = (frame) => Math.max(frame.began - at, at - frame.began - frame.cost, 0);
      const near = this.launch.frames.filter((frame) => distance(frame) <= slack);
      near.sort((a, b) => distance(a) - distance(b) || b.hitch - a.hitch || b.cost - a.cost);
      return near[0] || null;
    }

    frameWords(frame) {
      const late = frame.hitch > 0 ? `, hitch of ${time(frame.hitch)}` : ", on time";
      return `frame ${frame.number}: ${time(frame.cost)}${late}`;
    }

    // Times that differ by a hundredth of the period are different in words.
    periodWords() {
      const step = (this.to - this.from) / 100;
      return `${moment(this.from, step)} to ${moment(this.to, step)}`;
    }

    hover(x, y, event) {
      const at = this.timeAt(x), frame = this.frameAt(x, y);
      const lines = [moment(at, (this.to - this.from) / this.width)];
      if (frame) lines.push(this.frameWords(frame));
      for (const span of this.launch.spans) {
        const name = this.data.names[span.name];
        if (tracks.isEvent(span)) {
          if (Math.abs(span.began - at) <= this.slack()) lines.push(name);
        } else if (span.began <= at && at < span.began + span.duration) {
          lines.push(`${name}: ${time(span.duration)}`);
        }
      }
      for (const { name, times, values } of this.launch.series) {
        const next = times.findIndex((time) => time >= at);
        if (next >= 0) lines.push(`${TITLES[name]}: ${amount(name, values[next])}`);
      }
      tip(lines.join("\n"), event);
    }

    report() {
      const { number, frames, frameCount, spans, spanCount } = this.launch;
      const shown = frames.filter(
        (frame) => frame.began + frame.cost >= this.from && frame.began <= this.to);
      const missed = shown.filter((frame) => frame.hitch > 0).length;
      let text = `Launch ${number}, ${this.periodWords()}`;
      if (frames.length > 0) {
        const words = shown.length === 1 ? "1 frame" : `${shown.length} frames`;
        text += `: ${words}, ${missed} missed ${missed === 1 ? "its" : "their"} refresh`;
      }
      if (this.frame) text += `. Chosen: ${this.frameWords(this.frame)}`;
      if (frames.length < frameCount) {
        text += `. The page has the ${frames.length} longest of ${frameCount} frames`;
      }
      if (spans.length < spanCount) {
        const missing = spanCount - spans.length;
        text += `. The timeline lacks ${missing} of ${spanCount} phases, signposts and events`;
      }
      const flame = this.control("flame");
      if (flame && flame.disabled) text += ". The page has no samples of this launch";
      this.detail.textContent = text + ".";
    }

    // MARK: Input

    place(event) {
      const rect = this.canvas.getBoundingClientRect(), x = event.clientX - rect.left;
      // A drag may leave the canvas.
      return [Math.min(Math.max(x, 0), this.width), event.clientY - rect.top];
    }

    press(event) {
      if (event.button !== 0) return;
      const [x] = this.place(event);
      this.drag = { from: x, to: x };
      this.canvas.setPointerCapture(event.pointerId);
    }

    move(event) {
      const [x, y] = this.place(event);
      if (!this.drag) return this.hover(x, y, event);
      this.drag.to = x;
      this.draw();
    }

    release(event) {
      if (!this.drag) return;
      const { from } = this.drag, [x, y] = this.place(event);
      this.drag = null;
      if (Math.abs(x - from) > 4) {
        const [left, right] = [from, x].sort((a, b) => a - b);
        this.frame = null;
        this.zoom(this.timeAt(left), this.timeAt(right));
      } else {
        const frame = this.frameAt(x, y);
        if (frame) this.open(frame);
      }
    }

    key(event) {
      const move = (this.to - this.from) / 4;
      const actions = {
        ArrowLeft: () => this.zoom(this.from - move, this.to - move),
        ArrowRight: () => this.zoom(this.from + move, this.to + move),
        Home: () => this.zoom(0, this.to - this.from),
        End: () => this.zoom(this.axes.end, this.axes.end + this.to - this.from),
        "+": () => this.scale(0.5), "=": () => this.scale(0.5), "-": () => this.scale(2),
        n: () => this.step(1), p: () => this.step(-1), Enter: () => this.showPeriod(),
        Escape: () => this.reset(),
      };
      if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in actions)) return;
      actions[event.key]();
      event.preventDefault();
    }
  }

  for (const element of document.querySelectorAll(".timeline")) {
    new Timeline(element, JSON.parse(element.dataset.events));
  }
})();
