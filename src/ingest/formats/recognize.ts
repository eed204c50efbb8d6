/** Files that are no text, or text that is not cut into lines, are recognized by their first bytes, so that a message can name them. */
import { InputError } from '../../inputError.ts';

const SAVE_AS_CSV = 'Open it in a spreadsheet program and save it as CSV (UTF-8).';
const UNPACK = 'Unpack it, and import what is in it. Of packed files only gzip is read.';

const SIGNATURES: readonly [bytes: string, what: string, remedy: string][] = [
  ['\xd0\xcf\x11\xe0', 'an Excel workbook (xls)', SAVE_AS_CSV],
  ['BZh', 'packed with bzip2', UNPACK],
  ['\xfd7zXZ\0', 'packed with xz', UNPACK],
  ['\x28\xb5\x2f\xfd', 'packed with Zstandard', UNPACK],
  ['7z\xbc\xaf', 'a 7z archive', UNPACK],
  ['%PDF', 'a PDF', 'Export the data as CSV instead.'],
  ['SQLite format 3', 'an SQLite database', 'Export the table as CSV.'],
  ['PAR1', 'a Parquet file', 'Export it as CSV or NDJSON.'],
];

/** Throws InputError for what cannot be read as lines of UTF-8; `start` are the first bytes of `name`, as many as there are. */
export function refuseOtherKinds(start: Buffer, name: string): void {
  const bytes = start.subarray(0, 65_536).toString('latin1');
  const refuse = (what: string, remedy: string): never => {
    throw new InputError(name, `this is ${what}`, remedy);
  };
  if (bytes.startsWith('PK\x03\x04') || bytes.startsWith('PK\x05\x06')) {
    if (/\[Content_Types\]\.xml|_rels\/|xl\//.test(bytes)) refuse('an Excel workbook (xlsx)', SAVE_AS_CSV);
    if (bytes.includes('opendocument')) refuse('an OpenDocument spreadsheet (ods)', SAVE_AS_CSV);
    refuse('a zip archive', UNPACK);
  }
  for (const [signature, what, remedy] of SIGNATURES) if (bytes.startsWith(signature)) refuse(what, remedy);
  if (isUtf16(start)) {
    refuse('text in UTF-16', 'Save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8 OLD > NEW.');
  }
  if (bytes.split('\n', 1)[0]?.includes('\0'))
    refuse('binary data, no text', 'Needed is CSV with a header line, or one JSON object a line.');
  if (/^(?:\xef\xbb\xbf)?\s*<[!?a-zA-Z]/.test(bytes)) {
    refuse('a web page or XML', 'Perhaps an error page was saved instead of the data: download it again.');
  }
  if (/^[^\r\n]+\r[^\n]/.test(bytes) && !bytes.includes('\n')) {
    refuse('text whose lines end as on old Macs (CR alone)', "Convert it: tr '\\r' '\\n' < OLD > NEW.");
  }
}

/** By its mark or, as text is mostly of characters below 256, by every second byte. */
function isUtf16([a, b, c, d]: Buffer): boolean {
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return true;
  return (b === 0 && d === 0 && a !== 0 && c !== 0) || (a === 0 && c === 0 && b !== 0 && d !== 0);
}
