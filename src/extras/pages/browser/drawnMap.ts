/**
 * The map of the overview, a city or a station, drawn with Leaflet: cities from far, their districts
 * and stations nearer, each as a pin with its number. Pins that would overlap are one, of the worst
 * of them. The pin of the station whose page it is stays alone, on top and named. The map repeats
 * what the list says, which is for keyboards and screen readers.
 */
import { polygonHull } from 'd3-polygon';
import {
  CircleMarker,
  Control,
  DivIcon,
  FeatureGroup,
  type FitBoundsOptions,
  LatLng,
  LatLngBounds,
  Map as LeafletMap,
  Marker,
  Point,
  Polygon,
  type PopupOptions,
} from 'leaflet';
import { fill, plural, unitIn } from '../format.ts';
import { html } from '../html.ts';
import type { MapLook } from '../mapScale.ts';
import { formatNumber } from '../numbers.ts';
import { boxText, type Grade, lookOf, rankOf } from '../scale.ts';
import { addGraticule, addGround, addTiles } from './ground.ts';
import type { Hours } from './hours.ts';
import { REPLACED } from './live.ts';

/** As the page has it (`place.ts`). */
type Row = [
  level: 0 | 1 | 2 | 3 | 4,
  key: string | number,
  parent: number,
  lat: number,
  lng: number,
  grade: Grade,
  title?: string,
];
type Place = {
  level: number;
  path: string;
  at: LatLng;
  /** Its US index; null where there is none, or the European one stands in its place. */
  aqi: number | null;
  look: MapLook;
  /** The text in its pin. */
  text: string;
  /** How bad it is, by either index; -1: not known. */
  rank: number;
  isSuspect: boolean;
  title: string;
  parent: number;
  within: Place[];
};
/** A pin: its place, those that it stands for as well, and where it is on the screen. */
type Pin = { place: Place; others: Place[]; at: Point };

const OFFLINE = -1;
/** The level of a station with suspect particles. */
const SUSPECT = 3;
/** The level of a district without a pin. */
const NAME = 4;
/** A region whose places lie within this distance in pixels is one pin. */
const CLOSE = 90;
const PIN_WIDTH = 46;
const PIN_HEIGHT = 30;
/** A pin as it is drawn, which no name may cover. */
const DRAWN_PIN = { width: PIN_WIDTH, height: 24 };
/** Higher than the place on the screen, by which pins are stacked. */
const ON_TOP = 10_000;
const LINE_HEIGHT = 16;
/** A longer name is cut, as in the style; of the station whose page it is, after two lines. */
const NAME_WIDTH = 160;
const OWN_NAME_WIDTH = 200;
/** From the middle of a pin to the edge of its name, above or beneath it, and beside it. */
const NAME_AT = { y: 13, x: 26 };
const FARTHEST = 2;
const NEAREST = 18;
const CITY = 13;
/** The steps of zoom without tiles, which are sharp at whole ones only. */
const FINE = 0.25;
/** The map of a station begins with it and this number of its neighbours, at most this near. */
const NEIGHBOURS = 3;
const STREETS = 16;
/** From this zoom on districts are apart, and their names have room. */
const NAMES_FROM = 11;
/** Places in a view are clear of the buttons, of the scale, and of the edges by half a pin. */
const PADDING = {
  paddingTopLeft: [76, 32],
  paddingBottomRight: [48, 56],
} satisfies FitBoundsOptions;
const PADDED = new Point(76 + 48, 32 + 56);
/** A list of places is clear of the buttons and of its pin. */
const POPUP: PopupOptions = {
  autoPanPaddingTopLeft: [52, 8],
  autoPanPaddingBottomRight: [8, 8],
  offset: [0, -8],
};

function read({ locale = 'en' }: DOMStringMap): Place[] {
  const rows: Row[] = JSON.parse(document.querySelector('#places')?.textContent ?? '[]');
  const places = rows.map(([level, key, parent, lat, lng, grade, title = '']): Place => {
    const path = `/${locale}/${level >= 2 ? 'station' : 'region'}/${key}`;
    const known = grade === OFFLINE ? null : grade;
    const judged = level === SUSPECT ? null : known;
    return {
      level,
      path,
      at: new LatLng(lat, lng),
      aqi: typeof grade === 'number' ? grade : null,
      look: grade === OFFLINE ? 'offline' : lookOf(judged),
      text: boxText(known),
      rank: rankOf(judged),
      isSuspect: level === SUSPECT,
      title,
      parent,
      within: [],
    };
  });
  for (const place of places) places[place.parent]?.within.push(place);
  return places;
}

/** The name of a district, beneath the pins. */
const nameOf = ({ title }: Place, at: LatLng) =>
  new Marker(at, {
    icon: new DivIcon({
      html: html`<span>${title}</span>`.text,
      className: 'district',
      iconSize: [0, 0],
    }),
    keyboard: false,
    interactive: false,
    zIndexOffset: -10_000,
  });

const boundsOf = (places: readonly Place[]) => new LatLngBounds(places.map(({ at }) => at));
const stationsOf = (place: Place): Place[] =>
  place.level >= 2 ? [place] : place.within.flatMap(stationsOf);

export function drawMap(section: HTMLElement): void {
  const box = section.querySelector('.map') as HTMLElement;
  const { dataset } = box;
  const moves = !matchMedia('(prefers-reduced-motion: reduce)').matches;
  const map = new LeafletMap(box, {
    inertia: moves,
    zoomAnimation: moves,
    keyboard: false,
    scrollWheelZoom: false,
    zoomSnap: dataset.tiles === undefined ? FINE : 1,
    minZoom: FARTHEST,
    maxZoom: NEAREST,
    attributionControl: dataset.tiles !== undefined,
  });
  const pins = new FeatureGroup().addTo(map);
  addScale(map, dataset.locale ?? '');
  map.attributionControl?.setPrefix(false);
  map.on('click', () => map.scrollWheelZoom.enable()); // until then the wheel scrolls the page
  const outlines = new FeatureGroup().addTo(map);
  const names = new FeatureGroup().addTo(map);
  /** The values and looks of pins where an hour of a parameter is chosen. */
  let hours: Hours | undefined;
  let places: Place[] = [];
  let districts: Place[] = [];

  function load(): void {
    const all = read(dataset);
    places = all.filter(({ level }) => level !== NAME);
    districts = all.filter(({ level }) => level === NAME || level === 1);
    outline();
  }
  /** Draws the area around the stations of each city; the style hides it on tiles. */
  function outline(): void {
    outlines.clearLayers();
    for (const group of places.filter(({ level }) => level === 0).map(stationsOf)) {
      const ring = polygonHull(group.map(({ at }) => [at.lat, at.lng]));
      if (ring !== null)
        outlines.addLayer(new Polygon(ring, { className: 'outline', interactive: false }));
    }
  }

  function draw(): void {
    const bounds = map.getBounds().pad(0.2);
    const roots = places.filter(({ parent }) => parent === -1);
    const shown = roots
      .flatMap(chosen)
      .filter(({ at }) => bounds.contains(at))
      .flatMap(atHour);
    pins.clearLayers();
    const taken = placed(shown);
    const view = seen();
    const written = controls();
    const drawn = taken.map(({ at }) => ({ at, ...DRAWN_PIN }));
    const own = taken.find(({ place }) => isOwn(place));
    for (const [n, pin] of taken.entries()) {
      const others = drawn.filter((_, other) => other !== n);
      const isCovered = own !== undefined && own !== pin && isOver(own, pin.at);
      const isFree = (label: Box) =>
        isWithin(label, view) && ![...written, ...others].some((other) => meets(label, other));
      const isNamed = !isCovered && isWithin({ at: pin.at, width: 0, height: 0 }, view);
      const label = isNamed ? labelsOf(pin, view).find(isFree) : undefined;
      if (label !== undefined) written.push(label);
      const marker = markerOf(pin, label !== undefined).addTo(pins);
      if (isOwn(pin.place)) marker.setZIndexOffset(ON_TOP);
      const { x, y } = (label?.at ?? pin.at).subtract(pin.at);
      const name = marker.getElement()?.querySelector<HTMLElement>('.name');
      if (name) name.style.margin = `${y}px 0 0 ${x}px`;
    }
    names.clearLayers();
    written.push(...taken.map(({ at }) => ({ at, width: PIN_WIDTH, height: PIN_HEIGHT })));
    const named = map.getZoom() < NAMES_FROM ? [] : districts;
    for (const place of named.filter(({ at }) => bounds.contains(at))) {
      const middle = map.latLngToLayerPoint(place.at);
      const size = { width: Math.min(widthOf(place.title), NAME_WIDTH), height: LINE_HEIGHT };
      const [free] = BESIDE.map((y) => ({ at: middle.add([0, y]), ...size })).filter(
        (box) => isWithin(box, view) && !written.some((other) => meets(box, other)),
      );
      if (free === undefined) continue;
      written.push(free);
      names.addLayer(nameOf(place, map.layerPointToLatLng(free.at)));
    }
  }
  /** A place as it looks at the chosen hour; none if it has no values. */
  function atHour(place: Place): Place[] {
    if (hours === undefined) return [place];
    const found = hours(place.path.replace(/^\/\w+\//, ''));
    return found === undefined ? [] : [{ ...place, ...found }];
  }
  const isOwn = ({ path }: Place) =>
    dataset.own !== undefined && path.endsWith(`/station/${dataset.own}`);
  const titleOf = ({ place, others }: Pin): string =>
    others.length === 0
      ? place.title
      : fill(plural(dataset.locale ?? 'en', dataset.places ?? '', others.length + 1), {
          n: others.length + 1,
        });
  /** The part of the map that is seen. */
  function seen(): Box {
    const { x: width, y: height } = map.getSize();
    return { at: map.containerPointToLayerPoint([width / 2, height / 2]), width, height };
  }
  /** Buttons, the scale and the credit of tiles. */
  function controls(): Box[] {
    const { left, top } = box.getBoundingClientRect();
    return [...box.querySelectorAll('.leaflet-control')].map((control) => {
      const { x, y, width, height } = control.getBoundingClientRect();
      const middle: [number, number] = [x - left + width / 2, y - top + height / 2];
      return { at: map.containerPointToLayerPoint(middle), width, height };
    });
  }
  /**
   * Where the name of a pin may stand: beneath it, moved sideways where the edge of the map would
   * cut it; that of the own station also above or beside it.
   */
  function labelsOf(pin: Pin, view: Box): Box[] {
    const title = titleOf(pin);
    if (title === '') return [];
    const line = widthOf(title);
    const most = isOwn(pin.place) ? OWN_NAME_WIDTH : NAME_WIDTH;
    const lines = isOwn(pin.place) && line > most ? 2 : 1;
    const [width, height] = [Math.min(line, most), LINE_HEIGHT * lines];
    const [x, y] = [NAME_AT.x + width / 2, NAME_AT.y + height / 2];
    const room = Math.max(0, (view.width - width) / 2);
    const within = Math.max(view.at.x - room, Math.min(view.at.x + room, pin.at.x));
    const aside = isOwn(pin.place) ? [0, -30, 30, -60, 60] : [0];
    const beneath = aside.map((dx) => new Point(within + dx, pin.at.y + y));
    if (!isOwn(pin.place)) return beneath.map((at) => ({ at, width, height }));
    const above = aside.map((dx) => new Point(within + dx, pin.at.y - y));
    const beside = [pin.at.add([x, 0]), pin.at.subtract([x, 0])];
    return [...beneath, ...above, ...beside].map((at) => ({ at, width, height }));
  }
  /** A place where those within it are too close to each other, else those. */
  function chosen(place: Place): Place[] {
    const stations = stationsOf(place);
    if (place.level >= 2 || stations.length < 2) return [place];
    const bounds = boundsOf(stations);
    const size = map.project(bounds.getNorthEast()).distanceTo(map.project(bounds.getSouthWest()));
    return size < CLOSE * (place.level === 0 ? 2 : 1) ? [place] : place.within.flatMap(chosen);
  }
  function placed(all: readonly Place[]): Pin[] {
    const rank = (place: Place) => {
      if (isOwn(place)) return Number.POSITIVE_INFINITY; // the page is about it
      return place.rank;
    };
    const worstFirst = all.toSorted((a, b) => rank(b) - rank(a));
    const found: Pin[] = [];
    for (const place of worstFirst) {
      const at = map.latLngToLayerPoint(place.at);
      const over = found.find((pin) => !isOwn(pin.place) && isOver(pin, at));
      if (over === undefined) found.push({ place, others: [], at });
      else over.others.push(place);
    }
    return found;
  }
  function markerOf(pin: Pin, isNamed: boolean): Marker {
    const { place, others } = pin;
    const several = others.length > 0;
    const title = titleOf(pin);
    const kind = place.level >= 2 ? 'station' : 'region';
    const { text } = place;
    const number = place.isSuspect ? html`<s>${text}</s>` : text;
    const name = isNamed && html`<span class="name">${title}</span>`;
    const look = `pin ${place.look} ${kind}${text.length > 4 ? ' long' : ''}${several ? ' several' : ''}${isOwn(place) ? ' own' : ''}`;
    const link = html`<a class="${look}" href="${place.path}" tabindex="-1"
      title="${title}">${number}${name}</a>`;
    const marker = new Marker(place.at, {
      icon: new DivIcon({ html: link.text, className: '', iconSize: [44, 26] }),
      keyboard: false,
      zIndexOffset: several ? 100 : 0,
    });
    if (several) marker.on('click', ({ originalEvent }) => open(originalEvent, [place, ...others]));
    return marker;
  }
  /** Nearer, so that they part; where no nearer view parts them, as a list. */
  function open(event: Event, together: readonly Place[]): void {
    event.preventDefault();
    const bounds = boundsOf(together);
    if (map.getBoundsZoom(bounds, false, PADDED) > map.getZoom()) {
      map.fitBounds(bounds, PADDING);
      return;
    }
    const links = together.map(
      ({ path, title, text }) => html`<a href="${path}">${title === '' ? path : title} ${text}</a>`,
    );
    const { x, y } = map.getSize();
    const size = { maxWidth: Math.min(300, x - 110), maxHeight: y - 70 };
    map.openPopup(html`${links}`.text, together[0]?.at as LatLng, { ...POPUP, ...size });
  }

  let hasGround = false;
  /** Where no tiles come, the map looks like one without tiles, at the zoom that it has. */
  function showTiles(areSeen: boolean): void {
    box.classList.toggle('tiled', areSeen);
    if (areSeen || hasGround) return;
    hasGround = true;
    if (dataset.ground !== undefined) void addGround(map, dataset.ground);
    else addGraticule(map, dataset.locale ?? '');
  }
  /** The first view, also of a map that has another size since, until the reader moves it. */
  function fitPlaces(): void {
    if (map.getSize().y <= PADDED.y) return;
    // a station's neighbours come after it, the nearest first
    const first = dataset.own === undefined ? places : places.slice(0, 1 + NEIGHBOURS);
    const maxZoom = dataset.own !== undefined && first.length > 1 ? STREETS : CITY;
    map.fitBounds(boundsOf(first), { ...PADDING, maxZoom });
  }

  load();
  fitPlaces();
  if (dataset.tiles === undefined) showTiles(false);
  else addTiles(map, dataset, showTiles);
  draw();
  new ResizeObserver(() => map.invalidateSize()).observe(box); // it grows with the list beside it
  map.on('resize', fitPlaces);
  const keep = () => map.off('resize', fitPlaces);
  box.addEventListener('pointerdown', keep, { once: true });
  map.on('locationfound', keep);
  keepOnPaper(box);
  box.querySelector('.leaflet-marker-pane')?.setAttribute('aria-hidden', 'true');
  map.on('zoomend moveend resize', draw);
  document.addEventListener(REPLACED, () => {
    load();
    draw();
  });
  offerHours(section, (next) => {
    hours = next;
    draw();
  });
  addNear(section, map, () => places.flatMap((place) => (place.level >= 2 ? [place] : [])));
}

/** Once a parameter is chosen, loads what shows its hours. */
function offerHours(section: HTMLElement, show: (hours: Hours | undefined) => void): void {
  const choice = section.querySelector<HTMLElement>('#hours');
  const select = choice?.querySelector('select');
  if (!choice || !select) return;
  const load = () =>
    import('./hours.ts').then(
      ({ makeHours }) => {
        select.removeEventListener('change', load);
        makeHours(section, show);
      },
      () => {
        select.value = ''; // and may be chosen again
      },
    );
  select.addEventListener('change', load);
}

/** Keeps what the map has drawn on paper, which nothing draws again, at most this high. */
const PAPER_HEIGHT = 320;
function keepOnPaper(box: HTMLElement): void {
  window.addEventListener('beforeprint', () => {
    const { offsetWidth: width, offsetHeight: height } = box;
    const zoom = String(Math.min(1, PAPER_HEIGHT / height));
    Object.assign(box.style, { width: `${width}px`, height: `${height}px`, zoom });
  });
  window.addEventListener('afterprint', () => {
    Object.assign(box.style, { width: '', height: '', zoom: '' });
  });
}

/** Leaflet writes `10 km` in every language. */
function addScale(map: LeafletMap, locale: string): void {
  const scale = new Control.Scale({ imperial: false }).addTo(map);
  const translate = () => {
    const line = scale.getContainer()?.querySelector('.leaflet-control-scale-line');
    const [length = '', unit = ''] = line?.textContent?.split(' ') ?? [];
    line?.replaceChildren(`${length} ${unitIn(locale, unit)}`);
  };
  map.on('load move', translate);
}

const pen = document.createElement('canvas').getContext('2d');
/** The width of a name, in the font of the style. */
function widthOf(text: string): number {
  if (pen === null) return 0;
  pen.font = '13px system-ui, sans-serif';
  return Math.ceil(pen.measureText(text).width);
}

/** How far from its middle the name of a district may stand, the best first. */
const BESIDE = [0, -34, 34, -56, 56];

/** A text on the map, a pin, or the map itself: its middle and its size. */
type Box = { at: Point; width: number; height: number };
const meets = (a: Box, b: Box) =>
  overlaps(a.at, b.at, (a.width + b.width) / 2, (a.height + b.height) / 2);
const isWithin = (a: Box, b: Box) =>
  Math.abs(a.at.x - b.at.x) <= (b.width - a.width) / 2 &&
  Math.abs(a.at.y - b.at.y) <= (b.height - a.height) / 2;
const overlaps = (a: Point, b: Point, width: number, height: number) =>
  Math.abs(a.x - b.x) < width && Math.abs(a.y - b.y) < height;
/** True if a pin at this point would overlap another one. */
const isOver = ({ at }: Pin, other: Point) => overlaps(at, other, PIN_WIDTH, PIN_HEIGHT);

/**
 * A button that goes to where the reader is, and names the station that is nearest. Only pages that
 * came over TLS may ask.
 */
function addNear(section: HTMLElement, map: LeafletMap, stations: () => Place[]): void {
  const near = section.querySelector<HTMLButtonElement>('#near');
  const said = section.querySelector<HTMLElement>('[role=status]');
  const {
    near: text = '',
    none = '',
    locale = '',
  } = (section.querySelector('.map') as HTMLElement).dataset;
  if (near === null || said === null || !isSecureContext) return;
  const me = new CircleMarker([0, 0], { radius: 8, className: 'me' });
  near.addEventListener('click', () => map.locate());
  map.on('locationerror', () => said.replaceChildren(none));
  map.on('locationfound', ({ latlng: here }) => {
    const [nearest] = stations().toSorted((a, b) => here.distanceTo(a.at) - here.distanceTo(b.at));
    me.setLatLng(here).addTo(map);
    if (nearest === undefined) return;
    map.fitBounds(new LatLngBounds([here, nearest.at]), { ...PADDING, maxZoom: CITY });
    const km = formatNumber(locale, here.distanceTo(nearest.at) / 1_000, 1);
    said.innerHTML =
      html`<a href="${nearest.path}">${fill(text, { title: nearest.title, km })}</a>`.text;
  });
}
