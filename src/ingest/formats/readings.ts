/** A source becomes batches of readings. Constant memory: the next batch is read when somebody asks for it. */
import { InputError } from '../../inputError.ts';
import type { ReadingInput } from '../batch.ts';
import { airqualityAmReader, PREAMBLE } from './airqualityAm.ts';
import { csvReader } from './csv.ts';
import { ndjsonReader } from './json.ts';
import { type Line, splitLines } from './lines.ts';
import type { Source } from './source.ts';

/** Understands the lines of one source. */
export type LineReader = {
  /** Columns or keys that mean nothing here. */
  ignored: ReadonlySet<string>;
  read(line: Line): ReadingInput;
};

/** Files that don't say what they are. Their stamps have no offset: they are of the network's zone. */
export const FORMATS = ['airquality-am'] as const;
export type Format = { name: (typeof FORMATS)[number]; timeZone: string };

export type ReadingBatch = { readings: ReadingInput[]; ignored: ReadonlySet<string> };

const BATCH = 10_000;
/** Long lines make a batch full earlier. In characters. */
const BATCH_TEXT = 4_000_000;

/** When reading fails, all that came before is handed on first; the error names the place. */
export async function* readReadings(source: Source, format?: Format): AsyncGenerator<ReadingBatch> {
  let reader: LineReader | undefined;
  let readings: ReadingInput[] = [];
  let text = 0;
  let lastLine = 0;
  let failure: unknown;
  try {
    for await (const lines of splitLines(source.bytes)) {
      for (const line of lines) {
        lastLine = line.number;
        if (reader === undefined) {
          if (format !== undefined && line.text === PREAMBLE) continue;
          reader = chooseReader(line, source.name, format);
          if (!line.text.startsWith('{')) continue; // the header
        }
        readings.push(reader.read(line));
        text += line.text.length;
        if (readings.length < BATCH && text < BATCH_TEXT) continue;
        yield { readings, ignored: reader.ignored };
        readings = [];
        text = 0;
      }
    }
    if (reader === undefined) throw new InputError(source.name, 'the file is empty', HEADER_OR_OBJECTS);
  } catch (error) {
    failure = error;
  }
  if (reader !== undefined && readings.length > 0) yield { readings, ignored: reader.ignored };
  if (failure === undefined || failure instanceof InputError) {
    if (failure !== undefined) throw failure;
    return;
  }
  throw new InputError(
    `${source.name}, after line ${lastLine}`,
    (failure as Error).message,
    'What came before is in; get the file anew and import it again.',
  );
}

const HEADER_OR_OBJECTS = 'Needed is CSV with a header line, or one JSON object a line.';

function chooseReader(first: Line, name: string, format: Format | undefined): LineReader {
  const place = `${name}:${first.number}`;
  if (format !== undefined) return airqualityAmReader(first.text, place, format.timeZone);
  if (first.text.startsWith('{')) return ndjsonReader();
  if (first.text.startsWith('[')) throw new InputError(place, 'this is a JSON array', HEADER_OR_OBJECTS);
  if (first.tooLong) throw new InputError(place, 'the first line is too long for a header', HEADER_OR_OBJECTS);
  return csvReader(first.text, place);
}
