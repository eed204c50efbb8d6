/**
 * Recognizes the encoding of bytes that are not UTF-8, so that a message can name it and show them
 * as text. It is a guess, by which nothing is stored.
 */
import { isUtf8 } from 'node:buffer';
import { type Encoding, LOST } from '../../../ingest/rows/encoding.ts';

const encoding = (what: string, iconv: string, label: string): Encoding => {
  const decoder = new TextDecoder(label);
  return {
    name: label,
    what: `text in ${what}`,
    remedy: `Save it as UTF-8, or convert it: iconv -f ${iconv} -t UTF-8 OLD > NEW`,
    // Node 20 takes windows-1252 for Latin-1, unless it streams
    decode: (bytes) => decoder.decode(bytes, { stream: true }),
  };
};

const LATIN = encoding('cp1252 or Latin-1, as Windows writes it', 'CP1252', 'windows-1252');
/** The most frequent first. */
const CYRILLIC: readonly Encoding[] = [
  encoding('cp1251, as Windows writes Cyrillic', 'CP1251', 'windows-1251'),
  encoding('KOI8-R, as Unix wrote Cyrillic', 'KOI8-R', 'koi8-r'),
  encoding('cp866, as DOS wrote Cyrillic', 'CP866', 'ibm866'),
];

/** Words of three letters and more, in the case that people write; one repeated letter is not one. */
const WORDS = /(?!(.)\1\1)(?:[А-ЯЁ][а-яё]{2,}|[а-яё]{3,}|[А-ЯЁ]{3,})/g;
const lettersOf = (text: string): number =>
  [...text.matchAll(WORDS)].reduce((sum, [word]) => sum + word.length, 0);

/**
 * The encoding of bytes in which decoding as UTF-8 has replaced some. It is a Cyrillic one if that
 * makes words of them, since Latin text hardly has three letters with accents in a row.
 */
export function encodingOf(bytes: Buffer): Encoding {
  if (isUtf8(bytes)) return LOST;
  let [best, most] = [LATIN, 0];
  for (const one of CYRILLIC) {
    const letters = lettersOf(one.decode(bytes));
    if (letters > most) [best, most] = [one, letters];
  }
  return isMixed(bytes) ? { ...best, remedy: MIXED } : best;
}

/** True if a line is UTF-8, and not ASCII: converted, it would be wrong. */
const isMixed = (bytes: Buffer): boolean =>
  bytes
    .toString('latin1')
    .split('\n')
    .some((line) => /[\x80-\xff]/.test(line) && isUtf8(Buffer.from(line, 'latin1')));

const MIXED =
  'Other lines of it are UTF-8 already, so convert the file that this line was taken from, and join them then';
