/** Zoom and pan of the map: its viewBox changes, and what has a size of its own keeps it. Without this the map stands still. */

for (const map of document.querySelectorAll<HTMLElement>('[data-map]')) enliven(map);

type Box = { x: number; y: number; width: number; height: number };

/** How far in: the whole map is this many times as wide. */
const MOST = 60;

function enliven(map: HTMLElement): void {
  const svg = map.querySelector('svg') as SVGSVGElement;
  const { width, height } = svg.viewBox.baseVal;
  const whole: Box = { x: 0, y: 0, width, height };
  let box = whole;
  let grabbed: { x: number; y: number; box: Box } | undefined;

  const unitsPerPixel = () => Math.max(box.width / svg.clientWidth, box.height / svg.clientHeight);

  function show(next: Box): void {
    const size = Math.min(1, Math.max(1 / MOST, next.width / width));
    const [w, h] = [width * size, height * size];
    const clamp = (start: number, length: number, all: number) => Math.min(Math.max(start, 0), all - length);
    box = { x: clamp(next.x, w, width), y: clamp(next.y, h, height), width: w, height: h };
    svg.setAttribute('viewBox', `${box.x} ${box.y} ${box.width} ${box.height}`);
    svg.style.setProperty('--k', String(unitsPerPixel()));
    map.classList.toggle('zoomed', size < 1);
  }

  /** Around a point that stays where it is, given as shares of the width and height. */
  function zoom(factor: number, [a, b]: readonly [number, number] = [0.5, 0.5]): void {
    const size = Math.min(1, Math.max(1 / MOST, (box.width * factor) / width)) * width;
    const by = size / box.width;
    show({
      x: box.x + box.width * (1 - by) * a,
      y: box.y + box.height * (1 - by) * b,
      width: box.width * by,
      height: box.height * by,
    });
  }

  const buttons = map.querySelector('.zoom') as HTMLElement;
  buttons.hidden = false;
  buttons.addEventListener('click', ({ target }) => {
    const factor = Number((target as HTMLElement).dataset.zoom ?? Number.NaN);
    if (factor === 0) show(whole);
    else if (factor > 0) zoom(factor);
  });
  svg.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey && !map.classList.contains('zoomed') && event.deltaY > 0) return; // the page scrolls on
      event.preventDefault();
      const { left, top, width: w, height: h } = svg.getBoundingClientRect();
      zoom(event.deltaY < 0 ? 0.8 : 1.25, [(event.clientX - left) / w, (event.clientY - top) / h]);
    },
    { passive: false },
  );
  svg.addEventListener('pointerdown', (event) => {
    if (map.classList.contains('zoomed')) grabbed = { x: event.clientX, y: event.clientY, box };
  });
  svg.addEventListener('pointermove', (event) => {
    if (grabbed === undefined) return;
    const [dx, dy] = [event.clientX - grabbed.x, event.clientY - grabbed.y];
    if (Math.hypot(dx, dy) > 4) svg.setPointerCapture(event.pointerId);
    const k = unitsPerPixel();
    show({ ...grabbed.box, x: grabbed.box.x - dx * k, y: grabbed.box.y - dy * k });
  });
  for (const end of ['pointerup', 'pointercancel'] as const) {
    svg.addEventListener(end, () => {
      grabbed = undefined;
    });
  }
  new ResizeObserver(() => show(box)).observe(svg);
}
