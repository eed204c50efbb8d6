/** README.txt: what the files are and what each column means, for people. */
import type { PublishedData, Table } from './contents.ts';

/** The whole file as text. Files by year have one section. */
export function readmeText({ timeZone, license, tables }: PublishedData): string {
  const sections = new Map<string, Table>();
  for (const table of tables) sections.set(table.path.replace(/_\d{4}\.csv$/, '_YYYY.csv'), table);
  const about = [
    'Air quality and weather: sensors, and hours and days of sensors, stations and cities',
    '',
    `All files are CSV: UTF-8, a header, commas. Times are local to ${timeZone}, without an offset; an hour or day is named by its beginning.`,
    'Where the clocks go back, an hour occurs twice, the earlier one first. Empty means unknown; an hour or day without measurements has no',
    'line, and the current one follows once it is over. Hidden stations are left out. A text that a spreadsheet would take for a formula has an',
    'apostrophe before it: one that begins with =, +, -, @ or a control character.',
    'A day is the mean of its hours, rain their sum. PM2.5 of stations and cities is corrected where a correction is known for the',
    'instrument; that of sensors is what the instrument said. datapackage.json describes the same for programs (Frictionless).',
    ...(license === undefined ? [] : ['LICENSE says what you may do with the data.']),
  ];
  const described = [...sections].map(([path, { title, fields }]) => {
    const width = Math.max(...fields.map(({ name }) => name.length));
    const lines = fields.map(({ name, meaning, unit }) => {
      const inUnit = unit === undefined ? '' : ` [${unit}]`;
      return `  ${name.padEnd(width)}  ${meaning}${inUnit}`;
    });
    return [path, title.replace(/, \d{4}$/, ''), '', ...lines].join('\n');
  });
  return `${[about.join('\n'), ...described].join('\n\n')}\n`;
}
