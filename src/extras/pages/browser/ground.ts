/**
 * Maps without tiles are drawn on this: the ground of the service (MAP_GROUND), else a net of
 * degrees; and a glow around each station, as far as its air may be much the same.
 */
import {
  Circle,
  DivIcon,
  FeatureGroup,
  type LatLng,
  type Map as LeafletMap,
  Marker,
  Polygon,
  Polyline,
} from 'leaflet';
import { html } from '../html.ts';
import { formatNumber } from '../numbers.ts';
import { categoryOf } from '../scale.ts';
import { fetchJson } from './page.ts';

/** As the service sends it (`ground.ts`). */
type Shape = [kind: string, isArea: 0 | 1, lines: [number, number][][]];

/** Draws water, rivers, roads and borders under all else. Without an answer there are none. */
export async function addGround(map: LeafletMap, url: string): Promise<void> {
  const found = await fetchJson<Shape[]>(url).catch(() => undefined);
  const pane = beneath(map, 'ground', 200);
  for (const [kind, isArea, lines] of found?.data ?? []) {
    const look = { className: `ground ${kind}`, interactive: false, pane };
    (isArea === 1 ? new Polygon(lines, look) : new Polyline(lines, look)).addTo(map);
  }
}

function beneath(map: LeafletMap, name: string, zIndex: number): string {
  map.createPane(name).style.zIndex = String(zIndex);
  return name;
}

const STEPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30];
/** The most lines of the net that are seen in each direction. */
const MOST_LINES = 5;

/** Draws the net of degrees, which moves with the map. */
export function addGraticule(map: LeafletMap, locale: string): void {
  const pane = beneath(map, 'net', 200);
  const net = new FeatureGroup().addTo(map);
  const line = (from: [number, number], to: [number, number]) =>
    net.addLayer(new Polyline([from, to], { className: 'net', interactive: false, pane }));
  const label = (lat: number, lng: number, degrees: number, digits: number, look: string) => {
    const text = html`<span>${formatNumber(locale, degrees, digits)}°</span>`.text;
    const icon = new DivIcon({ html: text, className: `degrees ${look}`, iconSize: [0, 0] });
    net.addLayer(new Marker([lat, lng], { icon, keyboard: false, interactive: false, pane }));
  };

  function draw(): void {
    net.clearLayers();
    const seen = map.getBounds();
    const drawn = seen.pad(1);
    const span = Math.min(seen.getNorth() - seen.getSouth(), seen.getEast() - seen.getWest());
    const step = STEPS.find((one) => span / one <= MOST_LINES) ?? 30;
    const digits = Math.max(0, Math.ceil(-Math.log10(step)));
    const multiples = (from: number, to: number) => {
      const first = Math.ceil(from / step);
      const count = Math.floor(to / step) - first + 1;
      return Array.from({ length: Math.max(0, count) }, (_, n) => (first + n) * step);
    };
    const [west, east, south, north] = [
      drawn.getWest(),
      drawn.getEast(),
      Math.max(-90, drawn.getSouth()),
      Math.min(90, drawn.getNorth()),
    ];
    for (const lat of multiples(south, north)) {
      line([lat, west], [lat, east]);
      label(lat, seen.getEast(), lat, digits, 'latitude');
    }
    for (const lng of multiples(west, east)) {
      line([south, lng], [north, lng]);
      label(seen.getNorth(), lng, lng, digits, 'longitude');
    }
  }
  draw();
  map.on('moveend', draw);
}

/** In metres. It claims nothing of the air between stations. */
const GLOW_RADIUS = 2_000;
const METRES_IN_DEGREE = 111_195;
/** How much of its radius is blurred, up to so many pixels. */
const SOFT = 0.35;
const MOST_BLUR = 60;
/** A larger network would take long to draw. */
const MOST_GLOWS = 1_500;

/** Returns a function that draws the glow of stations whose index is known, the worst on top. */
export function addGlow(map: LeafletMap) {
  const pane = beneath(map, 'glow', 300);
  const soften = () => {
    const { y } = map.project(map.getCenter());
    const degree = map.unproject([0, y]).lat - map.unproject([0, y + 1]).lat;
    const pixels = GLOW_RADIUS / METRES_IN_DEGREE / degree;
    (map.getPane(pane) as HTMLElement).style.filter =
      `blur(${Math.min(MOST_BLUR, SOFT * pixels)}px)`;
  };
  map.on('load zoomend', soften);
  const glow = new FeatureGroup().addTo(map);
  return (stations: readonly { at: LatLng; aqi: number | null }[]): void => {
    glow.clearLayers();
    const known = stations.filter(({ aqi }) => aqi !== null && aqi >= 0);
    if (known.length > MOST_GLOWS) return;
    for (const { at, aqi } of known.toSorted((a, b) => Number(a.aqi) - Number(b.aqi))) {
      const className = `glow ${categoryOf(aqi)}`;
      new Circle(at, { radius: GLOW_RADIUS, className, interactive: false, pane }).addTo(glow);
    }
  };
}
