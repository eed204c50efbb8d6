/**
 * A map without tiles: stations as dots and regions as bubbles on a plain projection, in SVG. It repeats what the list beside it says, so it is
 * hidden from screen readers and keyboards.
 */
import { type Html, html } from './html.ts';
import type { Category } from './scale.ts';
import type { Words } from './words.ts';

/** With a text, it is a bubble. */
export type Mark = {
  latitude: number;
  longitude: number;
  category: Category;
  href: string;
  title: string;
  text?: string | undefined;
};

/** More dots than this have no link of their own: a region's page has its own map. */
const MOST_LINKS = 1_500;
const WIDTH = 1_000;
const MARGIN = 60;

export function renderMap(marks: readonly Mark[], words: Words): Html {
  if (marks.length === 0) return html``;
  const { place, height } = projection(marks);
  const dots = marks.filter(({ text }) => text === undefined);
  const bubbles = marks.filter(({ text }) => text !== undefined);
  const draw = dots.length > MOST_LINKS ? together(dots, place) : dots.map((mark) => one(mark, place(mark)));
  return html`<div class="map" data-map>
<svg viewBox="0 0 ${WIDTH} ${height}" aria-hidden="true">${draw}${bubbles.map((mark) => bubble(mark, place(mark)))}</svg>
<div class="zoom" hidden><button type="button" data-zoom="0.5" aria-label="${words.zoomIn}">+</button><button type="button" data-zoom="2" aria-label="${words.zoomOut}">−</button><button type="button" data-zoom="0" aria-label="${words.wholeMap}">⤢</button></div>
</div>`;
}

type Point = { x: number; y: number };

/** Degrees become units of the same length in both directions, as they are in the middle of the marks. */
function projection(marks: readonly Mark[]): { place(mark: Mark): Point; height: number } {
  let [south, north, west, east] = [90, -90, 180, -180];
  for (const { latitude, longitude } of marks) {
    [south, north] = [Math.min(south, latitude), Math.max(north, latitude)];
    [west, east] = [Math.min(west, longitude), Math.max(east, longitude)];
  }
  const shrink = Math.cos((((south + north) / 2) * Math.PI) / 180);
  const [width, depth] = [Math.max((east - west) * shrink, 0.01), Math.max(north - south, 0.01)];
  const scale = Math.min((WIDTH - 2 * MARGIN) / width, (WIDTH - 2 * MARGIN) / depth);
  const height = Math.max(400, depth * scale + 2 * MARGIN);
  const [middle, centre] = [(west + east) / 2, (south + north) / 2];
  return {
    height: Math.round(height),
    place: ({ latitude, longitude }) => ({
      x: tenth(WIDTH / 2 + (longitude - middle) * shrink * scale),
      y: tenth(height / 2 - (latitude - centre) * scale),
    }),
  };
}

const tenth = (n: number) => Math.round(n * 10) / 10;

/** A line of no length with round ends, so that zooming doesn't change its size; the wider one below it is its rim. */
const dot = (category: Category, path: string) =>
  html`<path class="rim ${category}" d="${path}"/><path class="dot ${category}" d="${path}"/>`;

const one = ({ category, href, title }: Mark, { x, y }: Point) =>
  html`<a href="${href}" tabindex="-1"><title>${title}</title>${dot(category, `M${x} ${y}h0`)}</a>`;

const together = (dots: readonly Mark[], place: (mark: Mark) => Point) =>
  [...new Set(dots.map(({ category }) => category))].map((category) => {
    const points = dots.filter((mark) => mark.category === category).map(place);
    return dot(category, points.map(({ x, y }) => `M${x} ${y}h0`).join(''));
  });

const bubble = ({ category, href, title, text }: Mark, { x, y }: Point) =>
  html`<a href="${href}" tabindex="-1"><title>${title}</title><g transform="translate(${x} ${y})"><g class="bubble ${category}"><rect x="-17" y="-12" width="34" height="24" rx="12"/><text y="5">${text}</text><text class="name" y="28">${title}</text></g></g></a>`;
