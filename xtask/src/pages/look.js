// Lists the faults of a page. Evaluated in the page; its result is plain data:
// {faults: [{what, where}], counts: {pictures, tables, headings, letters}}.
// It writes nothing but `open` on <details>.
(() => {
  const MOST_OF_A_KIND = 12;
  const LEAST_CONTRAST = 4.5;
  const TOLERANCE = 1;
  const faults = [];
  const seen = new Map();

  const words = element => (element.textContent || "").replace(/\s+/g, " ").trim().slice(0, 40);
  const path = element => {
    const steps = [];
    for (let at = element; at && at.nodeType === 1 && steps.length < 3; at = at.parentElement) {
      if (at.id) { steps.unshift(`${at.localName}#${at.id}`); break; }
      const kind = at.classList && at.classList.length ? `.${at.classList[0]}` : "";
      const alike = at.parentElement ? [...at.parentElement.children].filter(one => one.localName === at.localName) : [at];
      steps.unshift(at.localName + kind + (alike.length > 1 ? `:nth-of-type(${alike.indexOf(at) + 1})` : ""));
    }
    return steps.join(" > ");
  };
  const fault = (kind, detail, element) => {
    const count = (seen.get(kind) || 0) + 1;
    seen.set(kind, count);
    if (count > MOST_OF_A_KIND) return;
    const text = element ? words(element) : "";
    faults.push({ what: detail ? `${kind}: ${detail}` : kind, where: element ? path(element) + (text ? ` "${text}"` : "") : "page" });
  };

  // Colours as [red, green, blue, alpha], 0 to 255 and 0 to 1.
  let brush;
  const known = new Map();
  const colour = text => {
    if (!known.has(text)) known.set(text, parsed(text));
    return known.get(text);
  };
  const parsed = text => {
    const plain = /^rgba?\(([\d.]+),\s*([\d.]+),\s*([\d.]+)(?:,\s*([\d.]+))?\)$/.exec(text);
    if (plain) return [Number(plain[1]), Number(plain[2]), Number(plain[3]), plain[4] === undefined ? 1 : Number(plain[4])];
    brush = brush || Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
    if (!brush || !CSS.supports("color", text)) return null;
    brush.clearRect(0, 0, 1, 1);
    brush.fillStyle = text;
    brush.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = brush.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = (above, below) => {
    const alpha = above[3] + below[3] * (1 - above[3]);
    if (alpha === 0) return [0, 0, 0, 0];
    return [0, 1, 2].map(i => (above[i] * above[3] + below[i] * below[3] * (1 - above[3])) / alpha).concat(alpha);
  };
  const faded = (of, by) => [of[0], of[1], of[2], of[3] * by];
  const luminance = of => {
    const [red, green, blue] = of.slice(0, 3).map(part => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const canvasColour = () => {
    const probe = document.createElement("div");
    probe.style.backgroundColor = "Canvas";
    document.documentElement.append(probe);
    const found = colour(getComputedStyle(probe).backgroundColor) || [255, 255, 255, 1];
    probe.remove();
    return found;
  };

  const opacity = (element, until) => {
    let all = 1;
    for (let at = element; at && at !== until; at = at.parentElement) all *= Number(getComputedStyle(at).opacity);
    return all;
  };
  const shown = element => element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: false });

  // What lies behind an element: backgrounds of it and its ancestors, up to the first opaque one; null where that is an image.
  const canvas = canvasColour();
  const grounds = new Map();
  const ground = element => {
    if (!element) return canvas;
    if (grounds.has(element)) return grounds.get(element);
    const style = getComputedStyle(element);
    const own = colour(style.backgroundColor);
    let found = null;
    if (own && style.backgroundImage === "none") {
      const below = own[3] >= 1 ? own : ground(element.parentElement);
      found = own[3] >= 1 ? own : below && over(own, below);
    }
    grounds.set(element, found);
    return found;
  };
  const judge = (element, ink, behind) => {
    if (!ink || !behind) return fault("contrast unknown", "text or ground is no plain colour", element);
    const ratio = contrast(over(ink, behind), behind);
    if (ratio < LEAST_CONTRAST - 0.005) fault("contrast below 4.5", `${ratio.toFixed(2)}`, element);
  };

  const texts = () => {
    const found = [];
    const walker = document.createTreeWalker(document.body || document.documentElement, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement;
      if (!parent || !walker.currentNode.data.trim()) continue;
      if (/^(script|style|noscript|template|title|desc|metadata)$/.test(parent.localName) || !shown(parent)) continue;
      found.push([walker.currentNode, parent]);
    }
    return found;
  };
  const boxOf = node => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getBoundingClientRect();
  };
  const scrolls = element => {
    for (let at = element; at && at !== document.body; at = at.parentElement) {
      if (/^(auto|scroll)$/.test(getComputedStyle(at).overflowX) && at.scrollWidth > at.clientWidth) return true;
    }
    return false;
  };
  // What screen readers read and eyes do not see: a pixel in size, or clipped away.
  const offstage = element => {
    for (let at = element; at && at !== document.body; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.position !== "absolute" && style.position !== "fixed") continue;
      const box = at.getBoundingClientRect();
      const off = box.bottom + scrollY <= 0 || box.right + scrollX <= 0;
      if (off || (box.width <= 1 && box.height <= 1) || /^(rect\(0|inset\((50|100)%)/.test(style.clip !== "auto" ? style.clip : style.clipPath)) return true;
    }
    return false;
  };

  // HTML text: colours, and that it stays within the window.
  const lookAtText = found => {
    for (const [node, parent] of found) {
      if (parent.closest("svg") && !parent.closest("foreignObject")) continue;
      const box = boxOf(node);
      if (box.width < 0.5 || box.height < 0.5 || offstage(parent)) continue;
      const ink = colour(getComputedStyle(parent).color);
      judge(parent, ink && faded(ink, opacity(parent)), ground(parent));
      if ((box.right > innerWidth + TOLERANCE || box.left < -TOLERANCE) && !scrolls(parent)) {
        fault("text runs out of the window", `${Math.round(box.left)} to ${Math.round(box.right)} of ${innerWidth} px`, parent);
      }
    }
  };

  const lookAtWidth = () => {
    const width = document.documentElement.scrollWidth;
    if (width <= innerWidth) return;
    const wide = [...document.body.querySelectorAll("*")].filter(one => one.getBoundingClientRect().right > innerWidth + TOLERANCE && !one.parentElement.closest("svg") && !scrolls(one.parentElement));
    fault("wider than the window", `${width} of ${innerWidth} px`, wide[wide.length - 1] || document.body);
  };

  // Texts of a picture as quadrilaterals on the screen, so that turned ones are judged as they stand. A font's box is higher
  // than its letters: a tenth of it above and below is left out.
  const quad = text => {
    const box = text.getBBox();
    const matrix = text.getScreenCTM();
    if (!matrix || box.width === 0 || box.height === 0) return null;
    const [top, bottom] = [box.y + 0.09 * box.height, box.y + 0.91 * box.height];
    const corners = [[box.x, top], [box.x + box.width, top], [box.x + box.width, bottom], [box.x, bottom]];
    const points = corners.map(([x, y]) => [matrix.a * x + matrix.c * y + matrix.e, matrix.b * x + matrix.d * y + matrix.f]);
    const [xs, ys] = [points.map(point => point[0]), points.map(point => point[1])];
    const middle = [0, 1].map(i => points.reduce((sum, point) => sum + point[i], 0) / 4);
    return { text, points, middle, left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
  };
  // How deep two convex quadrilaterals lie in each other, in pixels; 0 where they are apart.
  const depth = (one, other) => {
    let least = Infinity;
    for (const { points } of [one, other]) {
      for (let i = 0; i < 2; i++) {
        const [dx, dy] = [points[i + 1][0] - points[i][0], points[i + 1][1] - points[i][1]];
        const length = Math.hypot(dx, dy) || 1;
        const along = quad => quad.points.map(point => (point[0] * -dy + point[1] * dx) / length);
        const [mine, theirs] = [along(one), along(other)];
        least = Math.min(least, Math.max(...mine) - Math.min(...theirs), Math.max(...theirs) - Math.min(...mine));
      }
    }
    return Math.max(0, least);
  };
  const overlaps = quads => {
    const ordered = [...quads].sort((a, b) => a.left - b.left);
    for (let i = 0; i < ordered.length; i++) {
      for (let j = i + 1; j < ordered.length && ordered[j].left < ordered[i].right; j++) {
        const [one, other] = [ordered[i], ordered[j]];
        if (one.bottom < other.top || other.bottom < one.top) continue;
        const deep = depth(one, other);
        if (deep > TOLERANCE) fault("texts overlap", `${deep.toFixed(1)} px with "${words(other.text)}"`, one.text);
      }
    }
  };

  const SHAPES = "rect, circle, ellipse, path, polygon, polyline";
  const shapesOf = svg => [...svg.querySelectorAll(SHAPES)].filter(shape => {
    return !shape.closest("defs, clipPath, mask, marker, pattern, symbol") && getComputedStyle(shape).fill !== "none" && shown(shape);
  }).map(shape => ({ shape, box: shape.getBoundingClientRect() }));
  const holds = ({ shape, box }, [x, y]) => {
    if (x < box.left || x > box.right || y < box.top || y > box.bottom) return false;
    const matrix = shape.getScreenCTM();
    return Boolean(matrix) && shape.isPointInFill(new DOMPoint(x, y).matrixTransform(matrix.inverse()));
  };
  // The colour under a point: the shapes drawn there before the text, over the page.
  const under = (svg, shapes, quad) => {
    let found = ground(svg);
    for (const one of shapes) {
      if (!holds(one, quad.middle)) continue;
      const style = getComputedStyle(one.shape);
      const fill = colour(style.fill);
      const alpha = fill ? fill[3] * Number(style.fillOpacity) * opacity(one.shape, svg) : 1;
      if (one.shape.compareDocumentPosition(quad.text) & Node.DOCUMENT_POSITION_PRECEDING) {
        if (alpha > 0.5) fault("text is covered", `by ${path(one.shape)}`, quad.text);
        continue;
      }
      found = fill && found ? over([fill[0], fill[1], fill[2], alpha], found) : alpha >= 1 && fill ? fill : null;
    }
    return found;
  };
  const halo = text => {
    const style = getComputedStyle(text);
    const before = style.paintOrder.startsWith("stroke") && parseFloat(style.strokeWidth) >= 2;
    return before && style.stroke !== "none" ? colour(style.stroke) : null;
  };
  const lookAtColours = (svg, shapes, quad) => {
    const behind = under(svg, shapes, quad);
    const around = halo(quad.text);
    const seen = new Set();
    const walker = document.createTreeWalker(quad.text, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement;
      const style = getComputedStyle(parent);
      if (!walker.currentNode.data.trim() || style.fill === "none" || seen.has(style.fill)) continue;
      seen.add(style.fill);
      const ink = colour(style.fill);
      judge(parent, ink && faded(ink, Number(style.fillOpacity) * opacity(parent)), around && behind ? over(around, behind) : behind);
    }
  };

  const references = (element, name) => (element.getAttribute(name) || "").split(/\s+/).filter(Boolean);
  const lookAtName = svg => {
    const part = name => [...svg.children].find(child => child.localName === name && child.textContent.trim());
    const [title, desc] = [part("title"), part("desc")];
    if (!title) fault("picture without a title", "", svg);
    if (!desc) fault("picture without a description", "", svg);
    const names = references(svg, "aria-labelledby");
    const about = names.concat(references(svg, "aria-describedby"));
    if (title && !(title.id && names.includes(title.id))) fault("picture is not labelled by its title", "aria-labelledby", svg);
    if (desc && !(desc.id && about.includes(desc.id))) fault("picture is not described by its description", "aria-labelledby or aria-describedby", svg);
  };
  const lookAtPicture = svg => {
    lookAtName(svg);
    const figure = svg.closest("figure");
    if (!figure) fault("picture outside of a figure", "", svg);
    else if (![...figure.querySelectorAll("table")].some(table => table.rows.length)) fault("picture without its table", "no table in its figure", svg);
    if (!shown(svg)) return;
    const quads = [...svg.querySelectorAll("text")].filter(text => text.textContent.trim() && !text.closest("defs") && shown(text)).map(quad).filter(Boolean);
    const frame = svg.getBoundingClientRect();
    const shapes = shapesOf(svg);
    for (const one of quads) {
      const out = Math.max(frame.left - one.left, one.right - frame.right, frame.top - one.top, one.bottom - frame.bottom);
      if (out > TOLERANCE) fault("text leaves its picture", `by ${out.toFixed(1)} px`, one.text);
      lookAtColours(svg, shapes, one);
    }
    overlaps(quads);
  };

  const lookAtHeadings = headings => {
    let before = 0;
    for (const heading of headings) {
      const level = Number(heading.localName[1]);
      if (level > before + 1) fault("heading level jumps", before ? `h${level} after h${before}` : `the first is h${level}`, heading);
      before = level;
    }
  };
  const lookAtDocument = () => {
    if (!document.documentElement.lang.trim()) fault("html has no lang", "", null);
    const title = document.head && document.head.querySelector("title");
    if (!title || !title.textContent.trim()) fault("page has no title", "", null);
    const ids = new Set();
    for (const element of document.querySelectorAll("[id]")) {
      if (ids.has(element.id)) fault("id stands twice", element.id, element);
      ids.add(element.id);
    }
    for (const element of document.querySelectorAll("[aria-labelledby], [aria-describedby], a[href^='#'], use, [headers]")) {
      const link = element.getAttribute("href") || "";
      const names = ["aria-labelledby", "aria-describedby", "headers"].flatMap(name => references(element, name));
      if (link.length > 1 && link[0] === "#") names.push(decodeURIComponent(link.slice(1)));
      for (const name of names.filter(name => !ids.has(name))) fault("points to what is not there", `#${name}`, element);
    }
  };

  for (const details of document.querySelectorAll("details")) details.open = true;
  const pictures = [...document.querySelectorAll("svg")].filter(svg => !svg.ownerSVGElement);
  const headings = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter(shown);
  const found = texts();
  lookAtDocument();
  lookAtHeadings(headings);
  lookAtWidth();
  lookAtText(found);
  pictures.forEach(lookAtPicture);
  for (const [kind, count] of seen) {
    if (count > MOST_OF_A_KIND) faults.push({ what: `${kind}: and ${count - MOST_OF_A_KIND} more`, where: "page" });
  }
  const letters = found.reduce((sum, [node]) => sum + node.data.trim().length, 0);
  const tables = [...document.querySelectorAll("table")].filter(shown).length;
  return { faults, counts: { pictures: pictures.filter(shown).length, tables, headings: headings.length, letters } };
})()
