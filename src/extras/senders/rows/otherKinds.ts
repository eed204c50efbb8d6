/**
 * Recognizes, by their first bytes, files that are not lines of text, so that a message can say
 * what they are.
 */
import { isUtf8 } from 'node:buffer';
import { InputError } from '../../../base/inputError.ts';
import { AIRSERIES } from '../../../base/shell.ts';
import type { Encoding } from '../../../ingest/rows/encoding.ts';
import { encodingOf } from './encoding.ts';

const BINARY = [
  'binary data, no text',
  'Needed is CSV with a header line, or one JSON object a line. Of packed files only gzip is read.',
] as const;

/** Patterns for the first bytes, as Latin-1; the first that matches counts. */
const KINDS: readonly [start: RegExp, what: string, remedy: string][] = [
  [
    /^PK\cC\cD/,
    'a zip archive or a workbook (xlsx, ods)',
    'Unpack it and import what is in it, or save the workbook as CSV (UTF-8).',
  ],
  [
    /^PAR1/,
    'a Parquet file',
    `Make it CSV, as DuckDB does: duckdb -c "copy (from 'OLD') to 'NEW.csv'".`,
  ],
  // by its mark or, as text is mostly of characters below 256, by every second byte
  [
    /^(?:\xff\xfe|\xfe\xff|[^\0]\0[^\0]\0|\0[^\0]\0[^\0])/,
    'text in UTF-16',
    'Save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8 OLD > NEW.',
  ],
  [/^[^\n]*[\0-\cH\cN-\cZ]/, ...BINARY],
  [
    /^(?:\xef\xbb\xbf)?\s*<[!?a-zA-Z]/,
    'a web page or XML',
    'Perhaps an error page was saved instead of the data: download it again.',
  ],
  [
    /^[^"]*"(?:\$schema|time_zone|providers|regions|stations)"\s*:/,
    'a network file: it describes stations and has no readings',
    `Import it with: ${AIRSERIES} import network FILE.`,
  ],
  [
    /^[^\s"{[]{1,1000} [^\s=]{1,100}=\S{1,1000} \d{10,19}\r?\n/,
    'the line protocol of InfluxDB',
    'Export CSV instead: influx query --raw, or select into CSV.',
  ],
  [
    /^[^\r\n]+\r[^\n]+$/,
    'text whose lines end as on old Macs (CR alone)',
    "Convert it: tr '\\r' '\\n' < OLD > NEW.",
  ],
];

/** Bytes in which binary data have a control character, as every image and packed file has. */
const BEGINNING = 64;

/**
 * Throws InputError for what cannot be read as lines of text; `start` are the first bytes of `name`,
 * as many as there are. Returns the first line of what is in another encoding than UTF-8.
 */
export function refuseOtherKinds(
  start: Buffer,
  name: string,
): { encoding: Encoding; text: string } | undefined {
  const bytes = start.subarray(0, 65_536).toString('latin1');
  for (const [pattern, what, remedy] of KINDS) {
    if (pattern.test(bytes)) throw new InputError(name, `this is ${what}`, remedy);
  }
  const end = bytes.indexOf('\n');
  // later lines may have anything in columns that are not used, and cost only themselves
  const line = start.subarray(0, end);
  if (end < 0 || isUtf8(line)) return undefined;
  // an image has a line break in its first bytes, and other control characters soon after it
  if (/[\0-\cH\cN-\cZ]/.test(bytes.slice(0, BEGINNING)))
    throw new InputError(name, `this is ${BINARY[0]}`, BINARY[1]);
  const encoding = encodingOf(start);
  return { encoding, text: encoding.decode(line).trimEnd() };
}
