// Call trees of selected samples.
perfkit.tree = (function () {
  "use strict";
  const NODE = 0, THREAD = 1, PHASE = 2, SIGNPOST = 3, FRAMES = 4, STATE = 5, BASE = 6, NOW = 7;
  const STRIDE = 8, RUNNING = 0, WAITING = 2;

  // Returns whether a row passes a filter; -1 in a filter selects all.
  function passes(rows, i, filter) {
    const selects = (name, column) => filter[name] < 0 || rows[i + column] === filter[name];
    return rows[i + STATE] === filter.state && selects("thread", THREAD)
      && selects("phase", PHASE) && selects("signpost", SIGNPOST) && selects("frames", FRAMES);
  }

  // Returns the weights [before, now] of the filtered samples by node.
  function weights(data, filter) {
    const own = new Map();
    const add = (i, before, now) => {
      if (!passes(data.rows, i, filter)) return;
      const node = data.rows[i + NODE], sum = own.get(node) || [0, 0];
      sum[0] += before;
      sum[1] += now;
      own.set(node, sum);
    };
    if (filter.period) {
      eachSample(data, filter.period, (i, weight) => add(i, 0, weight));
    } else {
      for (let i = 0; i < data.rows.length; i += STRIDE) {
        add(i, data.rows[i + BASE], data.rows[i + NOW]);
      }
    }
    return own;
  }

  // Calls back with the row and the weight in nanoseconds of each sample in a period. A wait counts
  // with its part in the period, other samples count by their time.
  function eachSample(data, { samples, from, to }, use) {
    let time = 0;
    for (let k = 0; k < samples.length; k += 3) {
      time += samples[k];
      if (time > to) return;
      const i = samples[k + 1] * STRIDE, weight = samples[k + 2];
      if (data.rows[i + STATE] !== WAITING) {
        if (time >= from) use(i, weight * 1000);
      } else {
        const part = Math.min(time + weight, to) - Math.max(time, from);
        if (part > 0) use(i, part * 1000);
      }
    }
  }

  function node(f, parent) {
    return { f, own: [0, 0], total: [0, 0], parent, below: new Map(), children: [], width: 0 };
  }

  // Adds the weight of a call path, whose first function is the root's child.
  function insert(root, path, weight) {
    let at = root;
    at.total[0] += weight[0];
    at.total[1] += weight[1];
    for (const f of path) {
      if (!at.below.has(f)) at.below.set(f, node(f, at));
      at = at.below.get(f);
      at.total[0] += weight[0];
      at.total[1] += weight[1];
    }
    at.own[0] += weight[0];
    at.own[1] += weight[1];
  }

  // Sorts the children of all nodes by weight.
  function finish(node, isCaller = false) {
    node.width = node.total[0] + node.total[1];
    node.isCaller = isCaller;
    node.children = [...node.below.values()];
    for (const child of node.children) finish(child, isCaller);
    node.children.sort((a, b) => b.width - a.width || a.f - b.f);
    return node;
  }

  function pathTo(data, leaf) {
    const path = [];
    for (let node = leaf; node >= 0; node = data.parents[node]) path.push(data.nodes[node]);
    return path.reverse();
  }

  // Returns the samples as a tree of {f: function, own, total: [before, now], children}.
  function build(data, filter, isReversed) {
    const root = node(-1, null);
    for (const [leaf, weight] of weights(data, filter)) {
      const path = pathTo(data, leaf);
      insert(root, isReversed ? path.reverse() : path, weight);
    }
    return finish(root);
  }

  // Returns the trees of the callees and of the callers of a function, from its outermost calls.
  function around(data, filter, f) {
    const callees = node(f, null), callers = node(f, null);
    for (const [leaf, weight] of weights(data, filter)) {
      const path = pathTo(data, leaf), place = path.indexOf(f);
      if (place < 0) continue;
      insert(callees, path.slice(place + 1), weight);
      insert(callers, path.slice(0, place).reverse(), weight);
    }
    return { callees: finish(callees), callers: finish(callers, true) };
  }

  // Returns the boxes {node, x, w, depth} of a tree below its node `top` with the nodes above it, and of the
  // callers above all of them; `narrowest` is the least width of a box.
  function layout(top, callers, width, narrowest) {
    const boxes = [], above = [];
    const place = (node, x, w, depth, step) => {
      let narrow = 0, start = 0;
      for (const child of node.children) {
        const part = node.width > 0 ? child.width / node.width * w : 0;
        if (part < narrowest) {
          if (narrow === 0) start = x;
          narrow += part;
        } else {
          boxes.push({ node: child, x, w: part, depth });
          place(child, x, part, depth + step, step);
        }
        x += part;
      }
      if (narrow >= narrowest) boxes.push({ node: null, x: start, w: narrow, depth });
    };
    for (let node = top; node; node = node.parent) above.unshift(node);
    above.forEach((node, depth) => {
      boxes.push({ node, x: 0, w: width, depth, above: node !== top });
    });
    place(top, 0, width, above.length, 1);
    if (callers) place(callers, 0, width, -1, -1);
    const first = boxes.reduce((least, box) => Math.min(least, box.depth), 0);
    for (const box of boxes) box.depth -= first;
    return boxes;
  }

  return { build, around, layout, STRIDE, FRAMES, STATE, RUNNING };
})();
