// Shared parts of the page's script: numbers, tooltips, folded parts and charts.
const perfkit = (function () {
  "use strict";
  const tipElement = document.getElementById("tip");
  const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const values = new Uint8Array(128);
  for (let i = 0; i < 64; i++) values[DIGITS.charCodeAt(i)] = i;
  const UNITS = {
    time: ["ns", "us", "ms", "s"], size: ["B", "kB", "MB", "GB"], count: ["", "k", "M", "G"],
  };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const lightRule = [...document.styleSheets[0].cssRules].find((rule) => rule.selectorText === ":root");
  const drawings = [];
  let isOnPaper = false;

  // Shows a text next to the pointer; null hides it.
  function tip(text, event) {
    tipElement.hidden = text === null;
    if (text === null) return;
    tipElement.textContent = text;
    const left = Math.min(event.clientX + 14, innerWidth - tipElement.offsetWidth - 8);
    const below = event.clientY + 16;
    tipElement.style.left = Math.max(left, 8) + "px";
    tipElement.style.top = (below + tipElement.offsetHeight > innerHeight
      ? event.clientY - tipElement.offsetHeight - 10 : below) + "px";
  }

  function human(value, dimension) {
    const units = UNITS[dimension], size = Math.abs(value);
    const step = size >= 1e9 ? 3 : size >= 1e6 ? 2 : size >= 1e3 ? 1 : 0;
    return Number((value / 10 ** (3 * step)).toPrecision(4)) + (units[step] && " ") + units[step];
  }

  // Returns the numbers of a text: groups of five bits, the sixth bit means that another follows.
  function numbers(text) {
    const found = [];
    let number = 0, factor = 1;
    for (let i = 0; i < text.length; i++) {
      const digit = values[text.charCodeAt(i)];
      number += (digit & 31) * factor;
      factor *= 32;
      if (digit < 32) {
        found.push(number);
        number = 0;
        factor = 1;
      }
    }
    return found;
  }

  // Returns the content of an element with data, which is parsed once.
  function data(id) {
    const source = document.getElementById(id);
    source.parsed = source.parsed || JSON.parse(source.textContent);
    return source.parsed;
  }

  // Prepares a canvas for its width and this height, and returns its context.
  function context(canvas, width, height) {
    // Browsers draw nothing on a canvas of more than 32,767 pixels, as a deep flame graph would have.
    const scale = Math.min(window.devicePixelRatio || 1, 32767 / height);
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.style.height = height + "px";
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    return context;
  }

  // Calls back when the width of an element changes.
  function onWidth(element, draw) {
    let width = element.clientWidth;
    new ResizeObserver(() => {
      if (element.clientWidth === width) return;
      width = element.clientWidth;
      requestAnimationFrame(draw);
    }).observe(element);
  }

  function openTarget() {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    const closed = target && target.closest("details:not([open])");
    if (!closed) return;
    closed.open = true;
    target.scrollIntoView();
  }
  addEventListener("hashchange", openTarget);
  openTarget();

  // Whether canvases have the colours of the dark theme; paper is white.
  function isDark() { return dark.matches && !isOnPaper; }

  // Returns a colour of the style sheet.
  function ink(name) {
    const style = isOnPaper ? lightRule.style : getComputedStyle(document.documentElement);
    return style.getPropertyValue(`--${name}`).trim();
  }

  // Calls back when the colours change.
  function onColours(draw) { drawings.push(draw); }

  function redraw() { for (const draw of drawings) draw(); }
  dark.addEventListener("change", redraw);

  // Paper has no switches, so everything is open while the page is printed.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const details of opened) details.open = true;
    isOnPaper = true;
    redraw();
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
    isOnPaper = false;
    redraw();
  });

  // Returns the points of a path in pixels: every command ends at a point.
  function points(path, bottom) {
    const found = [];
    const isBars = path.classList.contains("i") || path.classList.contains("b");
    let x = 0, y = 0;
    for (const [, command, text] of path.getAttribute("d").matchAll(/([MLHV])([^MLHVZ]*)/g)) {
      const numbers = text.trim().split(/[ ,]+/).map(Number);
      if (command === "H") x = numbers[0];
      else if (command === "V") y = numbers[0];
      else [x, y] = numbers;
      if (!isBars || y < bottom) found.push([x, y]);
    }
    return found;
  }

  function value(text, number) {
    const [, name, unit] = /^(.*?)(?: \(([^()]*)\))?$/.exec(text);
    return `${name} ${Number(number.toPrecision(4))}${unit ? " " + unit : ""}`;
  }

  for (const svg of document.querySelectorAll("svg[data-scale]")) {
    const [x0, x1, left, right, y0, y1, bottom, top] = svg.dataset.scale.split(" ").map(Number);
    let layers = null;
    svg.addEventListener("mousemove", (event) => {
      layers = layers || [...svg.querySelectorAll("path[data-name]")]
        .map((path) => ({ name: path.dataset.name, points: points(path, bottom) }));
      const at = new DOMPoint(event.clientX, event.clientY)
        .matrixTransform(svg.getScreenCTM().inverse());
      let best = null;
      for (const layer of layers) {
        for (const [x, y] of layer.points) {
          const distance = Math.abs(x - at.x) + Math.abs(y - at.y) / 20;
          if (Math.abs(x - at.x) < 12 && (!best || distance < best.distance)) {
            best = { distance, x, y, name: layer.name };
          }
        }
      }
      const x = best && x0 + (best.x - left) / (right - left) * (x1 - x0);
      const y = best && y0 + (bottom - best.y) / (bottom - top) * (y1 - y0);
      tip(best && `${best.name}\n${value(svg.dataset.x, x)}\n${value(svg.dataset.y, y)}`, event);
    });
    svg.addEventListener("mouseleave", () => tip(null));
  }

  return {
    tip, human, numbers, data, context, onWidth, onColours, isDark, ink, flames: {}, timelines: {},
  };
})();
