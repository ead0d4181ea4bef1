// Shows tooltips of charts and switches the visible launch.
(function () {
  "use strict";
  const tip = document.getElementById("tip");

  // Shows a text next to the pointer; null hides it.
  window.perfkitTip = function (text, event) {
    tip.hidden = text === null;
    if (text === null) return;
    tip.textContent = text;
    const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
    const below = event.clientY + 16;
    tip.style.left = Math.max(left, 8) + "px";
    tip.style.top = (below + tip.offsetHeight > innerHeight
      ? event.clientY - tip.offsetHeight - 10 : below) + "px";
  };

  for (const select of document.querySelectorAll("select[data-shows]")) {
    select.addEventListener("change", () => {
      for (const option of select.options) {
        document.getElementById(option.value).hidden = !option.selected;
      }
    });
  }

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
      window.perfkitTip(
        best && `${best.name}\n${value(svg.dataset.x, x)}\n${value(svg.dataset.y, y)}`, event);
    });
    svg.addEventListener("mouseleave", () => window.perfkitTip(null));
  }
})();
