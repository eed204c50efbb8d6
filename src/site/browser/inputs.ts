/** The line under a number of the history: the rules by which it comes about, and links to the hours or readings that it was made of. */
import type { Quantity } from '../format.ts';
import { element, exploreUrl, type Page, wordFor } from './page.ts';
import { AQI, dateAfter, formatBucket, type Unit } from './series.ts';

/** `show` leads to the inputs of a bucket; one that was chosen is also unfolded. */
type Inputs = {
  element: HTMLElement;
  show(quantity: Quantity, unit: Unit, timestamp: string, isChosen?: boolean): void;
};

export function makeInputs(page: Page): Inputs {
  const { words, locale } = page;
  const summary = element('summary');
  const rules = element('p', { class: 'rule' });
  const links = element('p');
  const line = element('details', { class: 'inputs' }, summary, rules, links);
  return {
    element: line,
    show(quantity, unit, timestamp, isChosen = false) {
      const names = rulesOf(page, quantity, unit);
      summary.textContent = `${words.inputs}: ${wordFor(words, quantity.key)}, ${formatBucket(locale, timestamp, unit)}`;
      rules.textContent = names.map((name) => wordFor(words, `rule ${name}`)).join(' ');
      const made = linksOf(page, unit, timestamp);
      links.replaceChildren(
        ...made.flatMap(([text, path]) => [element('a', { href: exploreUrl(page, path) }, text), ' ']),
      );
      if (!isChosen) return;
      line.open = true;
      summary.focus();
    },
  };
}

const isStation = ({ subject }: Page) => subject.startsWith('station/');

function rulesOf(page: Page, { key }: Quantity, unit: Unit): string[] {
  const ofHour = isStation(page) ? ['A1', 'A2'] : ['A3'];
  return [
    ...(key === 'rain' ? ['A6'] : unit === 'hour' ? ofHour : ['A4']),
    ...(key === 'pm2.5' && unit === 'hour' && isStation(page) ? ['S5'] : []),
    ...(key === 'wind_speed' ? ['A7'] : []), // its direction is drawn with it
    ...(key === AQI.key ? ['aqi'] : []),
  ];
}

/** Texts and paths: of a month its hours, of a day its hours and the readings of the first one, of an hour its readings or stations. */
function linksOf(page: Page, unit: Unit, timestamp: string): [text: string, path: string][] {
  const { words } = page;
  const date = timestamp.slice(0, 10);
  const ofHour = `${isStation(page) ? 'readings' : 'stations'}/${hourName(timestamp)}.json`;
  if (unit === 'hour') return [[isStation(page) ? words.readingsOfHour : words.stationsOfHour, ofHour]];
  if (unit === 'month') {
    const first = `${date.slice(0, 7)}-01`;
    return [[words.hoursOfMonth, `hours/${first}/${dateAfter(dateAfter(first, 'month'), 'day', -1)}.csv`]];
  }
  return [
    [words.hoursOfDay, `hours/${date}/${date}.csv`],
    [isStation(page) ? words.readingsOfDay : words.stationsOfDay, ofHour],
  ];
}

/** An hour as addresses have it: in UTC, `2026-11-22T09Z`; with minutes where the zone's hours begin at others. */
function hourName(timestamp: string): string {
  const text = new Date(timestamp).toISOString();
  return `${text.slice(0, text.slice(14, 16) === '00' ? 13 : 16)}Z`;
}
