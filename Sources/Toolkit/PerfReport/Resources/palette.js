// Colours of both themes.
perfkit.palette = (function () {
  "use strict";
  const KINDS = [[28, 82, 66], [200, 45, 70], [45, 22, 74], [155, 38, 66], [0, 0, 78], [285, 30, 76]];
  const { isDark } = perfkit;

  function grey() { return `hsl(210 6% ${isDark() ? 30 : 82}%)`; }

  // Returns the colour of a kind of module.
  function kind(number, shade) {
    const [hue, saturation, lightness] = KINDS[number];
    return isDark() ? `hsl(${hue} ${saturation - 22}% ${lightness + shade - 26}%)`
      : `hsl(${hue} ${saturation}% ${lightness + shade}%)`;
  }

  // Returns the colour of a change between -1, all removed, and 1, all new.
  function change(part) {
    const size = Math.abs(part);
    const lightness = isDark() ? 28 + 18 * size : 90 - 34 * size;
    return `hsl(${part > 0 ? 8 : 212} ${12 + 63 * size}% ${lightness}%)`;
  }

  // Returns the colour of a name of phases and signposts.
  function span(number) {
    return `hsl(${number * 67 % 360} ${isDark() ? "35% 36%" : "55% 80%"})`;
  }

  // Returns the colour of a key in a legend of flame graphs.
  function legend(key) {
    const changes = { grew: () => change(1), shrank: () => change(-1), noise: grey };
    return key in changes ? changes[key]() : kind(Number(key), 0);
  }

  return { grey, kind, change, span, legend };
})();
