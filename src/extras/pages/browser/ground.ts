/**
 * Maps are drawn on this: tiles (MAP_TILES), the ground of the service (MAP_GROUND), else a net of
 * degrees. Nothing is drawn between stations, where the air is unknown.
 */
import {
  DivIcon,
  FeatureGroup,
  GridLayer,
  type Map as LeafletMap,
  Marker,
  Polygon,
  Polyline,
  TileLayer,
} from 'leaflet';
import { html } from '../html.ts';
import { formatNumber } from '../numbers.ts';
import { fetchJson } from './page.ts';

const TILES_MS = 20_000;

/**
 * Draws tiles. `show`: whether any is seen at this zoom. Where all of the first view fail, or none
 * comes in time, the layer goes. A single missing tile means nothing: it may be of the sea.
 */
export function addTiles(
  map: LeafletMap,
  { tiles = '', attribution = '', link = '' }: DOMStringMap,
  show: (areSeen: boolean) => void,
): void {
  // Leaflet empties tiles with a data URL, which the page's policy refuses
  TileLayer.include({
    _removeTile: (GridLayer.prototype as unknown as Record<string, unknown>)._removeTile,
    _abortLoading: undefined,
  });
  const credit = link === '' ? html`${attribution}` : html`<a href="${link}">${attribution}</a>`;
  const [minZoom, maxZoom] = [map.getMinZoom(), map.getMaxZoom()];
  const layer = new TileLayer(tiles, { minZoom, maxZoom, attribution: credit.text });
  const giveUp = () => {
    clearTimeout(timer);
    layer.remove();
    map.attributionControl.remove();
    show(false);
  };
  const timer = setTimeout(giveUp, TILES_MS);
  /** The zoom of the last tile that came. */
  let known: number | undefined;
  layer.on('tileload', ({ coords }) => {
    known = coords.z;
    clearTimeout(timer);
  });
  // when none is on its way anymore, failed or not; Leaflet is not yet done with the layer
  layer.on('load', () =>
    queueMicrotask(() => (known === undefined ? giveUp() : show(known === map.getZoom()))),
  );
  layer.addTo(map);
}

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
/** In pixels: labels of longitude and the line beneath them, one of them, and the map's buttons. */
const LABELS_TOP = 32;
const LABEL_WIDTH = 56;
const BUTTONS = 48;
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
    // labels clear of each other, of the buttons and of the edges
    const size = map.getSize();
    const place = (lat: number, lng: number) => map.latLngToContainerPoint([lat, lng]);
    for (const lat of multiples(south, north)) {
      line([lat, west], [lat, east]);
      const { y } = place(lat, seen.getEast());
      if (y > LABELS_TOP && y < size.y) label(lat, seen.getEast(), lat, digits, 'latitude');
    }
    let free = BUTTONS;
    for (const lng of multiples(west, east)) {
      line([south, lng], [north, lng]);
      const { x } = place(seen.getNorth(), lng);
      if (x < free || x > size.x - LABEL_WIDTH) continue;
      label(seen.getNorth(), lng, lng, digits, 'longitude');
      free = x + LABEL_WIDTH;
    }
  }
  draw();
  map.on('moveend', draw);
}
