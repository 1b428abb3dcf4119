// The graph: its picture moves and grows, and the keyboard walks from node to node along ties. All of it stands on the
// page without this, too; what is where, and where each thing leads, is the server's word.
"use strict";

const LARGEST = 16;
const SMALLEST = 1 / 4;
const STEP = 1.4; // how many times larger with a button or a key
const MARGIN = { x: 64, y: 40 }; // what is left free at each side for labels
const ROOM = 90; // a node is drawn in full where so much room is around it, and
const LEAST = 0.55; // no smaller than at this share

class Picture {
  constructor(svg) {
    this.svg = svg;
    this.frame = svg.parentElement;
    // The most important stands last, so that nothing stands on it.
    this.nodes = [...svg.querySelectorAll(".node")].reverse().map((element) => ({
      element,
      label: element.querySelector(".label"),
      mark: element.querySelector(".mark"),
      isCentre: element.classList.contains("centre"),
      x: Number(element.dataset.x),
      y: Number(element.dataset.y),
      full: Number(element.dataset.size),
      near: new Set(),
    }));
    this.lines = [...svg.querySelectorAll("#graph-lines .tie")].map((element) => {
      const [one, other] = [this.nodes[element.dataset.one], this.nodes[element.dataset.other]];
      one.near.add(other);
      other.near.add(one);
      return { element, one, other, bend: Number(element.dataset.bend), isDirected: element.hasAttribute("marker-end") };
    });
    this.frame.classList.add("moved"); // from here on it is as wide as its frame
    for (const node of this.nodes) node.width = node.label.getComputedTextLength();
    const [x, y, zoom] = (svg.dataset.at || "0,0,1").split(",").map(Number);
    this.at = { x, y, zoom };
    this.draw();
  }

  // Where something that lies between -1 and 1 stands on the screen.
  get reach() {
    const box = this.frame.getBoundingClientRect();
    const margin = { x: Math.min(MARGIN.x, box.width / 8), y: MARGIN.y };
    return { width: box.width, height: box.height, x: box.width / 2 - margin.x, y: box.height / 2 - margin.y };
  }

  place(node, reach = this.reach) {
    return {
      x: reach.width / 2 + (node.x - this.at.x) * this.at.zoom * reach.x,
      y: reach.height / 2 + (node.y - this.at.y) * this.at.zoom * reach.y,
    };
  }

  draw() {
    const reach = this.reach;
    if (!reach.width) return;
    this.svg.setAttribute("viewBox", `0 0 ${reach.width} ${reach.height}`);
    const room = Math.sqrt((reach.width * reach.height) / this.nodes.length) * this.at.zoom;
    const share = Math.min(Math.max(room / ROOM, LEAST), 1);
    for (const node of this.nodes) {
      node.at = this.place(node, reach);
      node.size = node.full * share;
      node.mark.setAttribute("transform", `scale(${share.toFixed(2)})`);
      node.element.setAttribute("transform", `translate(${node.at.x.toFixed(1)} ${node.at.y.toFixed(1)})`);
    }
    for (const line of this.lines) line.element.setAttribute("d", line.one === line.other ? loop(line.one) : curve(line));
    this.nameAll(reach);
    this.remember();
  }

  // As many labels as there is room for, of what comes first before the rest; more of them, the larger it is.
  nameAll(reach) {
    const inView = this.nodes.filter(({ at }) => at.x > -40 && at.y > -40 && at.x < reach.width + 40 && at.y < reach.height + 40);
    const taken = inView.map(({ at, size }) => box(at.x, at.y, size, size));
    for (const node of inView) {
      const beside = node.size + 4 + node.width / 2;
      const ways = [[0, node.size + 15], [0, -node.size - 6], [beside, 4], [-beside, 4]];
      const way = ways.find(([x, y]) => {
        const here = labelBox(node, x, y);
        const isWithin = here.left > 0 && here.right < reach.width && here.top > 0 && here.bottom < reach.height;
        return isWithin && !taken.some((each) => meets(each, here));
      });
      const isShown = Boolean(way) || node.isCentre;
      node.element.classList.toggle("quiet", !isShown);
      const [x, y] = way || this.within(node, reach);
      node.label.setAttribute("x", x.toFixed(1));
      node.label.setAttribute("y", y.toFixed(1));
      if (isShown) taken.push(labelBox(node, x, y));
    }
  }

  // A label that is shown when one points at its node stands in the picture, too.
  within(node, reach) {
    const half = node.width / 2 + 4;
    const x = Math.min(Math.max(node.at.x, half), Math.max(reach.width - half, half)) - node.at.x;
    const isLow = node.at.y + node.size + 22 > reach.height;
    return [x, isLow ? -node.size - 6 : node.size + 15];
  }

  zoom(by, x, y) {
    const reach = this.reach;
    const before = this.at.zoom;
    const zoom = Math.min(Math.max(before * by, SMALLEST), LARGEST);
    if (zoom === before) return false;
    // What lies under the pointer stays there.
    const [dx, dy] = [(x ?? reach.width / 2) - reach.width / 2, (y ?? reach.height / 2) - reach.height / 2];
    this.at.x += (dx / reach.x) * (1 / before - 1 / zoom);
    this.at.y += (dy / reach.y) * (1 / before - 1 / zoom);
    this.at.zoom = zoom;
    this.keepNear();
    this.soon();
    return true;
  }

  move(dx, dy) {
    const reach = this.reach;
    this.at.x -= dx / (reach.x * this.at.zoom);
    this.at.y -= dy / (reach.y * this.at.zoom);
    this.keepNear();
    this.soon();
  }

  keepNear() {
    for (const axis of ["x", "y"]) this.at[axis] = Math.min(Math.max(this.at[axis], -1.5), 1.5);
  }

  all() {
    this.at = { x: 0, y: 0, zoom: 1 };
    this.soon();
  }

  // Once for all that happens before the next picture.
  soon() {
    if (this.waits) return;
    this.waits = requestAnimationFrame(() => {
      this.waits = 0;
      this.draw();
    });
  }

  // The address is that of what is in view.
  remember() {
    const { x, y, zoom } = this.at;
    const isAll = x === 0 && y === 0 && zoom === 1;
    const here = new URL(location.href);
    here.searchParams.delete("at");
    if (!isAll) here.searchParams.set("at", [x, y, zoom].map((each) => Number(each.toFixed(3))).join(","));
    document.querySelector("[data-here]").href = here.search || "?";
    clearTimeout(this.written);
    this.written = setTimeout(() => {
      if (here.href !== location.href && this.svg.isConnected) history.replaceState(history.state, "", here);
    }, 300);
  }

  // Nodes

  of(target) {
    const element = target.closest?.(".node");
    return this.nodes.find((each) => each.element === element);
  }

  // What one points at stands out with what is tied to it, and is told of below.
  show(node) {
    this.frame.classList.toggle("pointed", Boolean(node));
    for (const each of this.nodes) each.element.classList.toggle("near", Boolean(node) && (each === node || node.near.has(each)));
    for (const { element, one, other } of this.lines) element.classList.toggle("near", one === node || other === node);
    if (node) tell(node.element.dataset.node);
  }

  // Of all nodes one is reached by Tab: the one where somebody was last.
  stopAt(node) {
    for (const each of this.nodes) each.element.setAttribute("tabindex", each === node ? "0" : "-1");
  }

  focus(node) {
    node.element.focus({ preventScroll: true });
    const reach = this.reach;
    const { x, y } = this.place(node, reach);
    const edge = 24 + node.size;
    const dx = Math.min(Math.max(x, edge), reach.width - edge) - x;
    const dy = Math.min(Math.max(y, edge), reach.height - edge) - y;
    if (dx || dy) this.move(dx, dy);
  }

  // The one of the nodes that are tied to it which lies best in a direction.
  walk(node, [right, down]) {
    const worth = (each) => {
      const [dx, dy] = [each.at.x - node.at.x, each.at.y - node.at.y];
      const ahead = dx * right + dy * down;
      const aside = Math.abs(dx * down) + Math.abs(dy * right);
      return ahead > 0 && aside <= 1.75 * ahead ? ahead + 2 * aside : Infinity;
    };
    const [next] = [...node.near].filter((each) => each !== node && worth(each) < Infinity).sort((a, b) => worth(a) - worth(b));
    if (next) this.focus(next);
  }
}

const box = (x, y, wide, high) => ({ left: x - wide, right: x + wide, top: y - high, bottom: y + high });
const labelBox = ({ at, width }, x, y) => ({ ...box(at.x + x, 0, width / 2 + 2, 0), top: at.y + y - 13, bottom: at.y + y + 5 });
const meets = (one, other) => one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

const mean = (one, other) => ({ x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 });
const told = ({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`;

function towards(start, end, by) {
  const away = Math.hypot(end.x - start.x, end.y - start.y);
  const share = away ? Math.min(by / away, 0.9) : 0;
  return { x: start.x + (end.x - start.x) * share, y: start.y + (end.y - start.y) * share };
}

// As the server draws them.
function curve({ one, other, bend, isDirected }) {
  const { x, y } = mean(one.at, other.at);
  const middle = { x: x - bend * (other.at.y - one.at.y), y: y + bend * (other.at.x - one.at.x) };
  const first = towards(one.at, middle, one.size);
  const last = towards(other.at, middle, other.size + (isDirected ? 3 : 0));
  const [half, otherHalf] = [mean(first, middle), mean(middle, last)];
  return `M${told(first)}Q${told(half)} ${told(mean(half, otherHalf))}Q${told(otherHalf)} ${told(last)}`;
}

function loop({ at: { x, y }, size }) {
  const [top, far] = [y - size, size * 2.4];
  return `M${x - 4} ${top}C${x - far} ${top - far} ${x + far} ${top - far} ${x + 4} ${top}`;
}

// What the list says of a node stands below the picture as well.
function tell(number) {
  const row = document.getElementById(`node-${number}`);
  const place = document.querySelector("[data-told]");
  place.replaceChildren(...[...row.children].slice(0, 3).map((cell) => {
    const part = document.createElement("div");
    part.append(...[...cell.cloneNode(true).childNodes]);
    part.querySelectorAll("[data-stop]").forEach((each) => each.removeAttribute("data-stop"));
    return part;
  }));
  place.hidden = false;
}

// What fingers, mice and keys do.

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function listen(picture) {
  const { frame, svg } = picture;
  const pointers = new Map();
  let held = null; // a node that is dragged
  let moved = false;

  const inFrame = (event) => {
    const { left, top } = frame.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };

  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    if (pointers.size === 0) [held, moved] = [picture.of(event.target), false];
    pointers.set(event.pointerId, inFrame(event));
  });
  svg.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) {
      picture.show(picture.of(event.target) || picture.of(document.activeElement));
      return;
    }
    const now = inFrame(event);
    if (!moved && Math.hypot(now.x - before.x, now.y - before.y) < 4) return;
    if (!moved) svg.setPointerCapture(event.pointerId);
    moved = true;
    if (pointers.size === 2) pinch(event.pointerId, before, now);
    else if (held) dragNode(held, now.x - before.x, now.y - before.y);
    else picture.move(now.x - before.x, now.y - before.y);
    pointers.set(event.pointerId, now);
  });
  const end = (event) => {
    pointers.delete(event.pointerId);
    if (pointers.size === 0) held = null;
  };
  svg.addEventListener("pointerup", end);
  svg.addEventListener("pointercancel", end);
  svg.addEventListener("pointerleave", () => picture.show(picture.of(document.activeElement)));

  function pinch(id, before, now) {
    const [other] = [...pointers].filter(([each]) => each !== id).map(([, place]) => place);
    const spread = Math.hypot(before.x - other.x, before.y - other.y) || 1;
    const middle = mean(now, other);
    picture.zoom(Math.hypot(now.x - other.x, now.y - other.y) / spread, middle.x, middle.y);
    picture.move((now.x - before.x) / 2, (now.y - before.y) / 2);
  }

  function dragNode(node, dx, dy) {
    const reach = picture.reach;
    node.x += dx / (reach.x * picture.at.zoom);
    node.y += dy / (reach.y * picture.at.zoom);
    picture.soon();
  }

  // What was dragged was not clicked at; and a link is no picture to be dragged elsewhere.
  svg.addEventListener("click", (event) => {
    if (moved) event.preventDefault();
    moved = false;
  });
  svg.addEventListener("dragstart", (event) => event.preventDefault());
  svg.addEventListener("wheel", (event) => {
    const { x, y } = inFrame(event);
    const by = Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0018));
    // Where all of it is in view, the page goes on.
    if (by < 1 && picture.at.zoom <= 1 && !event.ctrlKey) return;
    if (picture.zoom(by, x, y)) event.preventDefault();
  }, { passive: false });

  frame.addEventListener("keydown", (event) => {
    // Whoever puts a node in the middle by keyboard goes on from there.
    if (event.key === "Enter" && picture.of(event.target)) sessionStorage.setItem(GO_ON, "1");
    const way = ARROWS[event.key];
    if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const node = picture.of(event.target);
    if (node && !event.shiftKey) picture.walk(node, way);
    else picture.move(-60 * way[0], -60 * way[1]);
  });
  frame.addEventListener("focusin", (event) => {
    const node = picture.of(event.target);
    if (node) picture.stopAt(node);
    picture.show(node);
  });
  frame.addEventListener("focusout", () => picture.show(null));
  for (const button of document.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => {
      if (button.dataset.zoom === "all") picture.all();
      else picture.zoom(button.dataset.zoom === "in" ? STEP : 1 / STEP);
    });
  }
  document.querySelector("[data-tools]").hidden = false;
  new ResizeObserver(() => picture.soon()).observe(frame);
}

const GO_ON = "graph goes on";

function begin() {
  const svg = document.getElementById("graph");
  if (!svg || svg.parentElement.classList.contains("moved")) return;
  listen(new Picture(svg));
  const goesOn = sessionStorage.getItem(GO_ON);
  sessionStorage.removeItem(GO_ON);
  if (goesOn) requestAnimationFrame(() => svg.querySelector("a.node.centre")?.focus({ preventScroll: true }));
}

// Where all of a kind are ticked, nothing was chosen.
document.addEventListener("htmx:configRequest", (event) => {
  const form = document.getElementById("graph-filters");
  if (event.detail.elt !== form) return;
  for (const name of ["ties", "bands"]) {
    const boxes = [...form.elements[name]];
    if (boxes.every((each) => each.checked)) delete event.detail.parameters[name];
  }
});
document.addEventListener("htmx:afterSwap", begin);
begin();
