/**
 * The map of a parameter and an hour: pins have the means of one of the last 24 hours, which a
 * slider chooses. It is loaded when a reader chooses a parameter, and asks for that one only.
 */
import {
  lookAtHour,
  MAP_DIGITS,
  type MapIndex,
  type MapLook,
  type MapParameter,
} from '../mapScale.ts';
import { formatNumber, formatTime } from '../numbers.ts';
import { REPLACED } from './live.ts';
import { fetchJson, partOf } from './page.ts';

/** How a pin looks at an hour; `rank`: the highest value is on top. */
type AtHour = { look: MapLook; text: string; rank: number; isSuspect: boolean };
/** By the place's path, such as `station/1`; undefined: it has no values in these hours. */
export type Hours = (path: string) => AtHour | undefined;

type Place = {
  values: readonly (number | null)[];
  bands: readonly (string | null)[] | null;
  suspect?: readonly number[];
};
/** As the API has it (`map/{parameter}.json`). */
type Answer = {
  parameter: MapParameter;
  hours: readonly string[];
  stations: readonly (Place & { id: number })[];
  regions: readonly (Place & { slug: string })[];
};

/** `show` is called with what pins have, or undefined for the index of now. */
export function makeHours(section: HTMLElement, show: (hours: Hours | undefined) => void): void {
  const choice = partOf(section, '#hours');
  const { index = '', locale = '' } = choice.dataset;
  const select = partOf<HTMLSelectElement>(choice, 'select');
  const { content } = partOf<HTMLTemplateElement>(section, '#hour');
  const [hour, legends] = [...content.children] as [HTMLElement, HTMLElement];
  choice.after(hour);
  choice.parentElement?.after(legends);
  const slider = partOf<HTMLInputElement>(hour, 'input');
  const warning = partOf(legends, '.warning');
  let answer: Answer | undefined;
  let places = new Map<string, Place>();

  /** Shows the chosen hour of what was answered. */
  function draw(): void {
    const start = answer?.hours[slider.valueAsNumber];
    if (answer === undefined || start === undefined) return;
    const text = formatHour(locale, start);
    partOf(hour, 'output').textContent = text;
    slider.setAttribute('aria-valuetext', text);
    const { parameter } = answer;
    show((path) => {
      const place = places.get(path);
      if (place === undefined) return undefined;
      const n = slider.valueAsNumber;
      const value = place.values[n] ?? null;
      const isSuspect = place.suspect?.includes(n) ?? false;
      const band = place.bands?.[n] ?? null;
      return {
        look: isSuspect ? 'unknown' : lookAtHour(parameter, index as MapIndex, value, band),
        text: value === null ? '–' : formatNumber(locale, value, MAP_DIGITS),
        rank: value === null || isSuspect ? Number.NEGATIVE_INFINITY : value,
        isSuspect,
      };
    });
  }

  /** Asks for the chosen parameter; without an answer the map stays as it is, and says so. */
  async function load(): Promise<void> {
    const key = select.value;
    section.classList.toggle('by-hour', key !== '');
    hour.hidden = legends.hidden = key === '';
    if (key === '') return show(undefined);
    for (const legend of legends.querySelectorAll<HTMLElement>('.legend'))
      legend.hidden = legend.dataset.parameter !== key;
    const url = `/${locale}/explore/v1/map/${key}.json`;
    const found = await fetchJson<Answer>(url).catch(() => undefined);
    if (select.value !== key) return; // another was chosen meanwhile
    warning.hidden = found !== undefined;
    if (found === undefined) return;
    answer = found.data;
    places = new Map<string, Place>([
      ...answer.stations.map((one) => [`station/${one.id}`, one] as const),
      ...answer.regions.map((one) => [`region/${one.slug}`, one] as const),
    ]);
    draw();
  }

  select.addEventListener('change', () => void load());
  slider.addEventListener('input', draw);
  document.addEventListener(REPLACED, () => {
    if (select.value !== '') void load();
  });
  void load();
}

/** `27 Nov, 13:00–14:00`, by the offset of its start. */
function formatHour(locale: string, start: string): string {
  const [hours = '', minutes = ''] = start.slice(11, 16).split(':');
  const end = String((Number(hours) + 1) % 24).padStart(2, '0');
  return `${formatTime(locale, start)}–${end}:${minutes}`;
}
