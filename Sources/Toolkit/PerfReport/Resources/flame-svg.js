(function () {
  "use strict";
  var svg = document.getElementById("flame");
  var inner = +svg.dataset.inner, margin = +svg.dataset.margin, characterWidth = 6.6;
  var frames = Array.prototype.map.call(svg.querySelectorAll("#frames g"), function (g) {
    return { g: g, x: +g.dataset.x, w: +g.dataset.w, d: +g.dataset.d, name: g.dataset.n,
      rect: g.querySelector("rect"), text: g.querySelector("text"),
      tip: g.querySelector("title").textContent };
  });
  var detail = document.getElementById("detail"), matched = document.getElementById("matched");

  function fit(name, width) {
    var count = Math.floor((width - 6) / characterWidth);
    if (count < 3) return "";
    if (name.length <= count) return name;
    var front = Math.floor((count - 1) / 2);
    return name.slice(0, front) + "\u2026" + name.slice(name.length - (count - 1 - front));
  }

  // Edges are rounded, so the middle of the narrower box decides which boxes are nested.
  function middle(f) { return f.x + f.w / 2; }
  function spans(f, x) { return f.x < x && x < f.x + f.w; }

  // Zooms to a box; the boxes above it fill the whole width.
  function zoom(to) {
    frames.forEach(function (f) {
      var inside = f.d >= to.d && spans(to, middle(f));
      var above = f.d < to.d && spans(f, middle(to));
      f.g.style.display = inside || above ? "" : "none";
      f.g.classList.toggle("above", above);
      if (!inside && !above) return;
      var x = margin + (above ? 0 : (f.x - to.x) / to.w * inner);
      var width = above ? inner : f.w / to.w * inner;
      f.rect.setAttribute("x", x);
      f.rect.setAttribute("width", Math.max(width - 0.4, 0.3));
      f.text.setAttribute("x", x + 3);
      f.text.textContent = fit(f.name, width);
    });
  }

  function search(term) {
    var hits = frames.filter(function (f) {
      var hit = term !== "" && f.name.toLowerCase().indexOf(term.toLowerCase()) >= 0;
      f.g.classList.toggle("hit", hit);
      return hit;
    });
    // Boxes below a hit are part of it.
    var share = 0, end = -1;
    hits.sort(function (a, b) { return a.x - b.x || a.d - b.d; }).forEach(function (f) {
      if (middle(f) > end) { share += f.w; end = f.x + f.w; }
    });
    matched.textContent = term === "" ? "" : hits.length + " boxes match \u201c" + term + "\u201d, "
      + (share * 100).toFixed(1) + "% of the width";
  }

  function reset() { zoom({ x: 0, w: 1, d: 0 }); }
  function ask() {
    var term = prompt("Search for functions by a part of the name", "");
    if (term !== null) search(term);
  }
  frames.forEach(function (f) {
    f.g.addEventListener("click", function () { zoom(f); });
    f.g.addEventListener("mouseover", function () { detail.textContent = f.tip; });
    f.g.addEventListener("mouseout", function () { detail.textContent = " "; });
  });
  [["reset", reset], ["search", ask]].forEach(function (entry) {
    var button = document.getElementById(entry[0]);
    button.addEventListener("click", entry[1]);
    button.addEventListener("keydown", function (event) {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); entry[1](); }
    });
  });
  window.addEventListener("keydown", function (event) {
    if (event.key === "Escape") { reset(); search(""); }
    if (event.key === "/") { event.preventDefault(); ask(); }
  });
})();
