/** The page of the archive: its files with their size, period and last change, and how to read one. */
import type { Locale } from '../../contract/endpoints.ts';
import type { PageMaker } from '../../serve/app.ts';
import { ARCHIVE, type ArchivedFile, type Catalogue } from './catalogue.ts';
import { INDEX } from './descriptor.ts';
import { folderTitle, TITLE, WORDS } from './words.ts';

type Markup = ReturnType<PageMaker['html']>;

/** `zone`: of the network, whose days and months the files are of. */
type Shown = { maker: PageMaker; locale: Locale; zone: string };

export function archivePage(catalogue: Catalogue, shown: Shown): Markup {
  const { files } = catalogue;
  const { maker, locale } = shown;
  const { html } = maker;
  const words = WORDS[locale];
  const example = [...files.keys()].filter((path) => path.startsWith('hours/')).sort();
  return html`<h1>${TITLE[locale]}</h1>
<p>${words.intro} ${words.times}</p>
${
  files.size === 0
    ? html`<p>${words.none}</p>`
    : html`<p>${words.index} <a href="${ARCHIVE}${INDEX}">${INDEX}</a></p>`
}
${stateParts(catalogue, shown)}
${example.length > 0 && readPart(example.slice(-2), shown)}
${[...byFolder(files)].map(([folder, of], n) => folderPart(folder, of, n === 0, shown))}`;
}

/** Up to when the files go, and which of them lack something, by month or year. */
function stateParts({ upTo, missing }: Catalogue, { maker, locale }: Shown): Markup[] {
  const { html } = maker;
  const words = WORDS[locale];
  const lacking = runsOf([...new Set(missing.map(periodOf))]);
  const texts = [
    upTo && words.upTo.replace('{time}', upTo.slice(0, 16).replace('T', ' ')),
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
<p>${words.readText}</p>${maker.code(locale, query)}</section>`;
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
  // the newest first
  const rows = files
    .toSorted((a, b) => (a.path < b.path ? 1 : -1))
    .map((file) => [
      html`<a href="${ARCHIVE}${file.path}">${file.path.slice(folder === '' ? 0 : folder.length + 1)}</a>`,
      size(file.bytes),
      file.rows === undefined ? '' : maker.number(locale, file.rows, 0),
      [file.first, file.last]
        .map((at) => dateOf(at, zone))
        .join(' – ')
        .replace(/^ – $/, ''),
      dateOf(file.modified, zone),
    ]);
  const heads = [words.file, words.size, words.rows, words.period, words.changed];
  return html`<section class="card">
<details${isOpen && html` open`}><summary><h2>${title}</h2> <small>${total}</small></summary>
${maker.table(title, heads, rows)}</details></section>`;
}

/** The local date of an instant, as every language writes it in tables. */
function dateOf(instant: string | null | undefined, zone: string): string {
  if (instant === undefined || instant === null) return '';
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
  return format.format(new Date(instant));
}

function sizeIn(bytes: number, { maker, locale }: Shown): string {
  const power = Math.min(3, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  const unit = Object.values(WORDS[locale].sizes)[power];
  return `${maker.number(locale, bytes / 1_000 ** power, power === 0 ? 0 : 1)}\u00a0${unit}`;
}
