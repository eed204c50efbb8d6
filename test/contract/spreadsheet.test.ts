/** Hours for Excel, as a spreadsheet in the country of each language opens them. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { excelOf } from '../../src/contract/csv.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { needs } from '../support/tools.ts';

const LINES = `town,2026-10-01T00:00:00+04:00,-2.5,83,100065,46.2,62.5,10.5,0.11,,5.9,39.4,253,1.1,0,11,127
town,2026-10-13T23:00:00+04:00,,,,,,,,,,,,,,,
`;
/**
 * The code of a language with its decimal mark, and of what separates columns. LibreOffice 7.4 has a
 * point for Armenian, where CLDR has the comma: Armenian files are read as Russian ones.
 */
const COUNTRIES = { en: [1033, 44], ru: [1049, 59], hy: [1049, 59] } as const;

describe('in LibreOffice', needs('all', 'soffice'), () => {
  it.each(['en', 'ru', 'hy'] as const)(
    'times are times and numbers are numbers: %s',
    async (locale) => {
      const folder = temporaryFolder('excel');
      const file = join(folder, 'town.csv');
      writeFileSync(file, excelOf('region', LINES, { locale, zone: 'Asia/Yerevan' }));
      const [language, separator] = COUNTRIES[locale];
      await promisify(execFile)('soffice', [
        `-env:UserInstallation=file://${folder}/profile`,
        '--headless',
        `--infilter=CSV:${separator},34,76,1,,${language},false,true`,
        ...['--convert-to', 'fods', '--outdir', folder, file],
      ]);
      const [heads, first, second] = rowsOf(readFileSync(join(folder, 'town.fods'), 'utf8'));
      expect(heads).toHaveLength(16);
      expect(new Set(heads?.map(([type]) => type))).toEqual(new Set(['string']));
      const values = [-2.5, 83, 1000.7, 46.2, 62.5, 10.5, 0.11, 5.9, 39.4, 253, 1.1, 0, 11, 127];
      expect(first).toEqual([
        ['date', '2026-10-01'],
        ...values.map((value) => ['float', String(value)]),
      ]);
      expect(second).toEqual([['date', '2026-10-13T23:00:00']]);
    },
  );
});

/** The type and value of each cell that is not empty. */
function rowsOf(document: string): (readonly [string, string])[][] {
  return [...document.matchAll(/<table:table-row .*?<\/table:table-row>/gs)].map(([row]) =>
    [...row.matchAll(/<table:table-cell [^>]*office:value-type="(\w+)"([^>]*)/g)].map(
      ([, type = '', rest = '']) => [
        type,
        /office:(?:date-)?value="([^"]*)"/.exec(rest)?.[1] ?? '',
      ],
    ),
  );
}
