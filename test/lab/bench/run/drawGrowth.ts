/**
 * Seconds against stations, both by powers of ten, as an SVG that is readable on light and dark
 * pages and has its labels beside the lines.
 */

/**
 * `kind` is the work that takes the time: readings that come in, a document of the whole network, or
 * a document of one station or region.
 */
export type Line = {
  kind: 'writing' | 'network' | 'single';
  name: string;
  /** In the order of stations. */
  points: readonly { stations: number; seconds: number }[];
};

const [WIDTH, HEIGHT] = [840, 520];
const PLOT = { left: 70, right: 610, top: 76, bottom: 460 };
const LABEL_HEIGHT = 19;
/** `left`: where it is in the legend. */
const KINDS = {
  writing: { light: '#b45309', dark: '#fbbf24', meaning: 'taking readings in', left: 70 },
  network: { light: '#1d4ed8', dark: '#7db3ff', meaning: 'showing the whole network', left: 260 },
  single: {
    light: '#15803d',
    dark: '#5fd38a',
    meaning: 'showing one station or region',
    left: 495,
  },
} as const;

const STYLE = `text{font:14px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#24292f}
.page{fill:#fff;stroke:#d0d7de}.grid{stroke:#d0d7de}.line{fill:none;stroke-width:2.5;stroke-linejoin:round}.hint{stroke:#57606a;stroke-width:1.5;stroke-dasharray:2 5}
.small{font-size:13px}.title{font-size:16px;font-weight:600}${Object.entries(KINDS)
  .map(([kind, { light }]) => coloured(kind, light))
  .join('')}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.page{fill:#0d1117;stroke:#30363d}.grid{stroke:#30363d}.hint{stroke:#9da7b1}${Object.entries(
  KINDS,
)
  .map(([kind, { dark }]) => coloured(kind, dark))
  .join('')}}`;

function coloured(kind: string, colour: string): string {
  return `.${kind}{stroke:${colour}}.dot-${kind},text.name-${kind}{fill:${colour}}`;
}

/** `note`, which stands below the title, says what it was measured on. */
export function drawGrowth(lines: readonly Line[], note: string): string {
  const points = lines.flatMap((line) => line.points);
  const sizes = [...new Set(points.map(({ stations }) => stations))].sort((a, b) => a - b);
  const [least, most] = [sizes[0] as number, sizes.at(-1) as number];
  const decades = powersAround(points.map(({ seconds }) => seconds));
  const x = scale(least, most, PLOT.left + 24, PLOT.right - 14);
  const y = scale(decades[0] as number, decades.at(-1) as number, PLOT.bottom, PLOT.top);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">`,
    `<title>Time against the number of stations: ${escaped(lines.map(({ name }) => name).join(', '))}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="page" x=".5" y=".5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="6"/>`,
    text(20, 28, 'Time by number of stations', { class: 'title' }),
    text(20, 48, note, { class: 'small' }),
    ...decades.map((value) => gridLine(y(value), duration(value))),
    ...sizes.map((value) =>
      text(x(value), PLOT.bottom + 22, value.toLocaleString('en'), { 'text-anchor': 'middle' }),
    ),
    ...proportional(least, most, decades, x, y),
    ...lines.map((line) => drawLine(line, x, y)),
    ...labels(lines, y),
    ...legend(),
    '</svg>',
    '',
  ].join('\n');
}

type Scale = (value: number) => number;

function scale(from: number, to: number, low: number, high: number): Scale {
  return (value) => round(low + (Math.log(value / from) / Math.log(to / from)) * (high - low));
}

/** From the power of ten below all values to that above them. */
function powersAround(values: readonly number[]): number[] {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.ceil(Math.log10(Math.max(...values)));
  return Array.from({ length: high - low + 1 }, (_, n) => 10 ** (low + n));
}

function gridLine(at: number, label: string): string {
  const line = `<path class="grid" d="M${PLOT.left} ${at}H${PLOT.right}"/>`;
  return line + text(PLOT.left - 8, at + 5, label, { 'text-anchor': 'end', class: 'small' });
}

function drawLine({ kind, points }: Line, x: Scale, y: Scale): string {
  const places = points.map(({ stations, seconds }) => [x(stations), y(seconds)]);
  const dots = places.map(
    ([cx, cy]) => `<circle class="dot-${kind}" cx="${cx}" cy="${cy}" r="3.5"/>`,
  );
  return `<path class="line ${kind}" d="M${places.map((place) => place.join(' ')).join('L')}"/>${dots.join('')}`;
}

/** How steep a line is that grows as the network does. */
function proportional(
  least: number,
  most: number,
  decades: readonly number[],
  x: Scale,
  y: Scale,
): string[] {
  const from = decades[0] as number;
  const to = (from * most) / least;
  const [end, height] = [x(most), y(to)];
  return [
    `<path class="hint" d="M${x(least)} ${y(from)}L${end} ${height}"/>`,
    text(end, height - 8, 'in proportion', { class: 'small', 'text-anchor': 'end' }),
  ];
}

/** At the end of each line, moved apart where they would overlap. */
function labels(lines: readonly Line[], y: Scale): string[] {
  const placed = lines
    .map((line) => ({ ...line, end: y(line.points.at(-1)?.seconds ?? 1) }))
    .sort((a, b) => a.end - b.end);
  const heights = apart(placed.map(({ end }) => end));
  return placed.map(({ name, kind, end, points }, index) => {
    const at = heights[index] as number;
    const tie = `<path class="grid" d="M${PLOT.right - 8} ${end}L${PLOT.right + 12} ${at}"/>`;
    const last = points.at(-1)?.seconds ?? Number.NaN;
    return (
      tie + text(PLOT.right + 16, at + 5, `${name}, ${duration(last)}`, { class: `name-${kind}` })
    );
  });
}

/**
 * Heights in ascending order, at least a label's height from each other, as near as can be to where
 * they were.
 */
function apart(heights: readonly number[]): number[] {
  const moved = [...heights];
  for (let pass = 0; pass < 200; pass++) {
    for (let index = 1; index < moved.length; index++) {
      const [above, below] = [moved[index - 1] as number, moved[index] as number];
      const missing = LABEL_HEIGHT - (below - above);
      if (missing <= 0.1) continue;
      moved[index - 1] = above - missing / 2;
      moved[index] = below + missing / 2;
    }
  }
  const over = Math.max(0, (moved.at(-1) ?? 0) - PLOT.bottom);
  return moved.map((at) => round(at - over));
}

function legend(): string[] {
  return Object.entries(KINDS).map(([kind, { meaning, left }]) => {
    const at = HEIGHT - 16;
    return `<path class="line ${kind}" d="M${left} ${at - 5}h22"/>${text(left + 29, at, meaning, { class: 'small' })}`;
  });
}

function text(x: number, y: number, content: string, attributes: Record<string, string>): string {
  const given = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`);
  return `<text x="${x}" y="${y}"${given.join('')}>${escaped(content)}</text>`;
}

/** `4 ms`, `1.2 s`, `130 s`. */
function duration(seconds: number): string {
  const [value, unit] = seconds < 1 ? [seconds * 1_000, 'ms'] : [seconds, 's'];
  return `${Number(value.toPrecision(2)).toLocaleString('en')} ${unit}`;
}

const round = (value: number) => Math.round(value * 10) / 10;
const escaped = (content: string) => content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
