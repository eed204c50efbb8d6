/**
 * The page of the archive: a year of a city for Excel; its files with their size, period and last
 * change; and how programs read them.
 */
import { type Locale, pathWith, type StationsList } from '../../contract/endpoints.ts';
import { EXPLORE } from '../../contract/explore.ts';
import { fill } from '../../contract/words/form.ts';
import type { PageMaker } from '../../serve/app.ts';
import { ARCHIVE, type ArchivedFile, type Catalogue, NIGHT } from './catalogue.ts';
import { INDEX } from './descriptor.ts';
import { folderTitle, TITLE, WORDS } from './words.ts';

type Markup = ReturnType<PageMaker['html']>;

/** `zone`: of the network, whose days and months the files are of. */
type Shown = { maker: PageMaker; locale: Locale; zone: string };

export type City = Pick<StationsList['regions'][number], 'slug' | 'title'>;

/** `cities`: those that are listed; `at`: when the page is shown. */
export function archivePage(
  catalogue: Catalogue,
  { cities, at, ...shown }: Shown & { cities: readonly City[]; at: Date },
): Markup {
  const { files } = catalogue;
  const { maker, locale } = shown;
  const { html } = maker;
  const words = WORDS[locale];
  const example = [...files.keys()].filter((path) => path.startsWith('hours/')).sort();
  return html`<h1>${TITLE[locale]}</h1>
<p>${words.intro}</p>
${files.size === 0 && html`<p>${words.none}</p>`}
${citiesPart(catalogue, cities, shown)}
${stateParts(catalogue, at, shown)}
${[...byFolder(files)].map(([folder, of], n) => folderPart(folder, of, n === 0, shown))}
${example.length > 0 && readPart(example.slice(-2), shown)}`;
}

/** A link to the hours of each city in each year that has any, the newest first. */
function citiesPart({ files }: Catalogue, cities: readonly City[], shown: Shown): Markup | false {
  const { maker, locale } = shown;
  const { html } = maker;
  const words = WORDS[locale];
  const named = [...files.keys()].flatMap(
    (path) => /^regions-hours\/(\d{4})/.exec(path)?.[1] ?? [],
  );
  const years = [...new Set(named)].sort().reverse();
  if (years.length === 0 || cities.length === 0) return false;
  const linkTo = (slug: string, year: string) => {
    const values = { locale, slug, from: `${year}-01-01`, to: `${year}-12-31` };
    const path = pathWith(EXPLORE.regionExcel.path, values);
    return html`<a href="${path}" download>${year}</a> `;
  };
  const sorted = cities.toSorted((a, b) => a.title.localeCompare(b.title, locale));
  const rows = sorted.map(({ slug, title }) => [
    title,
    html`${years.map((year) => linkTo(slug, year))}`,
  ]);
  return html`<section class="card"><h2>${words.yearOfCity}</h2>
<p>${words.yearOfCityText}</p>
${maker.table(words.yearOfCity, [words.city, words.years], rows)}
<p>${words.others}</p></section>`;
}

/** The local month of an instant, such as `2026-11`. */
export const monthOf = (at: Date, zone: string): string =>
  dateOf(at.toISOString(), zone).slice(0, 7);

/** The local time from which the files of a night are made, on the day of an instant. */
export function nightOf(at: Date, zone: string): string {
  const night = new Date(at).setUTCHours(NIGHT.hour, NIGHT.minute);
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeStyle: 'short' });
  return format.format(night);
}

/**
 * Up to when the files go, when those of the running month come, and which of the others lack
 * something, by month or year.
 */
function stateParts(
  { files, upTo, missing }: Catalogue,
  at: Date,
  { maker, locale, zone }: Shown,
): Markup[] {
  const { html } = maker;
  const words = WORDS[locale];
  const lacking = runsOf([...new Set(missing.map(periodOf))]);
  const month = maker.date(locale, dateOf(at.toISOString(), zone), 'month');
  const texts = [
    upTo && fill(words.upTo, { time: `${maker.date(locale, upTo, 'date')} ${upTo.slice(11, 16)}` }),
    files.size > 0 && fill(words.running, { month, time: nightOf(at, zone) }),
    lacking.length > 0 && words.missing.replace('{files}', lacking.join(', ')),
  ];
  return texts.flatMap((text) => (text ? [html`<p>${text}</p>`] : []));
}

/** `2026-10` of `hours/2026-10.parquet`. */
const periodOf = (path: string) => path.split('/').at(-1)?.split('.')[0] ?? path;

/** Months and years that follow each other, as `2024-11 – 2026-09`. */
function runsOf(names: readonly string[]): string[] {
  const runs: [first: string, last: string][] = [];
  for (const name of names.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))) {
    const run = runs.at(-1);
    if (run !== undefined && next(run[1]) === name) run[1] = name;
    else runs.push([name, name]);
  }
  return runs.map(([first, last]) => (first === last ? first : `${first} – ${last}`));
}

/** The month or year after the named one. */
function next(name: string): string {
  const [year, month] = name.split('-').map(Number) as [number, number?];
  if (month === undefined) return String(year + 1);
  return new Date(Date.UTC(year, month)).toISOString().slice(0, 7);
}

/** The files of each folder, in the order of the index; '' are those beside it. */
function byFolder(files: Catalogue['files']): Map<string, ArchivedFile[]> {
  const folders = new Map<string, ArchivedFile[]>();
  for (const file of files.values()) {
    if (file.path === INDEX) continue;
    const [, folder = ''] = /^([^/]*)\//.exec(file.path) ?? [];
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  return folders;
}

function readPart(paths: readonly string[], { maker, locale }: Shown): Markup {
  const words = WORDS[locale];
  const query = (origin: string) =>
    `select station_id, avg(avg_pm25) as pm25
from read_parquet([
  ${paths.map((path) => `'${origin}${ARCHIVE}${path}'`).join(',\n  ')}
])
group by station_id order by pm25 desc;
`;
  return maker.html`<section class="card"><h2>${words.read}</h2>
<p>${words.readText}</p>${maker.code(locale, query)}
<p>${words.times} ${words.index} <a href="${ARCHIVE}${INDEX}">${INDEX}</a></p></section>`;
}

function folderPart(
  folder: string,
  files: readonly ArchivedFile[],
  isOpen: boolean,
  shown: Shown,
): Markup {
  const { maker, locale, zone } = shown;
  const { html } = maker;
  const words = WORDS[locale];
  const title = folderTitle(folder, locale);
  const size = (bytes: number) => sizeIn(bytes, shown);
  const total = words.files
    .replace('{n}', String(files.length))
    .replace('{size}', size(files.reduce((sum, { bytes }) => sum + bytes, 0)));
  const dayOf = (at: string) => maker.date(locale, dateOf(at, zone), 'date');
  // the newest first
  const rows = files
    .toSorted((a, b) => (a.path < b.path ? 1 : -1))
    .map((file) => [
      html`<a href="${ARCHIVE}${file.path}">${file.path.slice(folder === '' ? 0 : folder.length + 1)}</a>`,
      size(file.bytes),
      file.rows === undefined ? '' : maker.number(locale, file.rows, 0),
      [file.first, file.last].flatMap((at) => (at ? dayOf(at) : [])).join(' – '),
      dayOf(file.modified),
    ]);
  const heads = [words.file, words.size, words.rows, words.period, words.changed];
  return html`<section class="card">
<details${isOpen && html` open`}><summary><h2>${title}</h2> <small>${total}</small></summary>
${maker.table(title, heads, rows)}</details></section>`;
}

/** The local date of an instant, such as `2026-10-01`. */
function dateOf(instant: string, zone: string): string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
  return format.format(new Date(instant));
}

function sizeIn(bytes: number, { maker, locale }: Shown): string {
  const power = Math.min(3, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  const unit = Object.values(WORDS[locale].sizes)[power];
  return `${maker.number(locale, bytes / 1_000 ** power, power === 0 ? 0 : 1)}\u00a0${unit}`;
}
