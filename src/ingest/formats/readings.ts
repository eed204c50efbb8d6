/** A source becomes batches of readings, each read when it is asked for, so memory stays constant. */
import { InputError } from '../../inputError.ts';
import type { ReadingInput } from '../validate.ts';
import { airqualityAmReader, isPortalFile, PREAMBLE } from './airqualityAm.ts';
import { csvReader } from './csv.ts';
import { ndjsonReader } from './json.ts';
import { type Line, type LineReader, type Means, splitLines } from './lines.ts';
import { refuseOtherKinds } from './recognize.ts';
import type { Source } from './source.ts';

/** Formats that cannot be told from their first line. Their time stamps have no offset and are in the network's time zone. */
export const FORMATS = ['airquality-am'] as const;
export type Format = { name: (typeof FORMATS)[number]; timeZone: string };

/** `ignored`: columns or keys that are not used. `means`: the readings are means of hours or days. */
export type ReadingBatch = { readings: ReadingInput[]; ignored: ReadonlySet<string>; means?: Means | undefined };

const BATCH = 10_000;
/** In characters: long lines fill a batch earlier. */
const BATCH_TEXT = 4_000_000;

/**
 * Yields batches of up to 10,000 readings. `format` is undefined for CSV with a header and NDJSON. When reading fails, everything before
 * the failure is yielded first; then it rejects with InputError, which names the file and line.
 */
export async function* readReadings(source: Source, format?: Format): AsyncGenerator<ReadingBatch> {
  let reader: LineReader | undefined;
  let readings: ReadingInput[] = [];
  let text = 0;
  let lastLine = 0;
  let failure: InputError | undefined;
  try {
    for await (const lines of splitLines(recognized(source))) {
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
        yield { readings, ignored: reader.ignored, means: reader.means };
        readings = [];
        text = 0;
      }
    }
    if (reader === undefined) throw new InputError(source.name, 'the file is empty', HEADER_OR_OBJECTS);
  } catch (error) {
    failure = error instanceof InputError ? error : brokenOff(source.name, lastLine, error as Error);
  }
  if (reader !== undefined && readings.length > 0) yield { readings, ignored: reader.ignored, means: reader.means };
  if (failure !== undefined) throw failure;
}

const brokenOff = (name: string, lastLine: number, { message }: Error) =>
  new InputError(
    `${name}, after line ${lastLine}`,
    message,
    'The lines before were imported; get a new copy of the file and import it again.',
  );

/** The bytes of a source. Rejects with InputError at once if they are no lines of text. */
async function* recognized({ bytes, name }: Source): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of bytes) {
    if (isFirst) refuseOtherKinds(chunk, name);
    isFirst = false;
    yield chunk;
  }
}

const HEADER_OR_OBJECTS = 'Needed is CSV with a header line, or one JSON object a line.';

function chooseReader(first: Line, name: string, format: Format | undefined): LineReader {
  const position = `${name}:${first.number}`;
  if (format?.name === 'airquality-am') return airqualityAmReader(first.text, position, format.timeZone);
  if (first.text.startsWith('{')) return ndjsonReader();
  if (first.text.startsWith('['))
    throw new InputError(position, 'this is a JSON array', `${HEADER_OR_OBJECTS} With jq: jq -c '.[]' OLD > NEW.`);
  if (isPortalFile(first.text)) {
    throw new InputError(position, 'this is a file of airquality.am’s open data', 'Add --format airquality-am.');
  }
  if (first.tooLong) throw new InputError(position, 'the first line is too long for a header', HEADER_OR_OBJECTS);
  return csvReader(first.text, position);
}
