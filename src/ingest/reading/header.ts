/**
 * Checks the header of a table: whether a reading can be read by it, and what to say where it
 * cannot.
 */
import { InputError } from '../../base/inputError.ts';
import type { Format, Found } from '../formats/format.ts';
import type { Row } from '../rows/row.ts';
import type { Declarations, DeclaredColumn, Only } from './declarations.ts';

type Header = {
  header: Row;
  /** Its file and line, for messages. */
  position: string;
  /** The header read as a row. */
  found: Found;
  columns: readonly DeclaredColumn[];
  format: Format;
  only: readonly Only[];
  declared: Declarations;
};

/** Throws InputError where the header lacks what a reading needs, or names it twice. */
export function checkHeader(given: Header): void {
  const { header, position, found, columns, only, format, declared } = given;
  const { list, positions, used } = header.names;
  const { owner, time, needed } = format.columns;
  const isLong = (found.long?.length ?? 0) > 0;
  const values = Object.entries(found.values).filter(([, measured]) => measured !== undefined);
  const invalid = (what: string, remedy = needed) =>
    new InputError(
      position,
      `the header ${what}: ${JSON.stringify(header.text.slice(0, 300))}`,
      remedy,
    );
  if (list.filter((name) => HOUR.test(name)).length >= 23)
    throw invalid('is of a wide file, with a column for each hour of a day', TURN_IT);
  if (list.length > 0 && list.every((name) => /^[-+\d.:TZ ]*$/.test(name)))
    throw invalid('has numbers instead of names; the first line must name the columns, but it');
  const isOfNobody = [found.sensor, found.device, declared.sensor, declared.device].every(
    (one) => one === undefined,
  );
  if (isOfNobody && found.time !== undefined && values.length === 0 && !isLong && list.length > 2)
    throw invalid(
      `names neither a sensor nor a parameter; is it of a wide file, with a column for each station`,
      `${TURN_IT} If it is not: ${needed}`,
    );
  if (isOfNobody)
    throw invalid(`has no column ${owner}`, format.isLong === true ? WHOSE : `${needed} ${WHOSE}`);
  if (found.time === undefined && declared.now === undefined)
    throw invalid(`has no column ${time}`, `${needed} ${ANOTHER_NAME}`);
  if (values.length === 0 && !isLong)
    throw invalid('names no parameter', `${needed} ${ANOTHER_NAME}`);
  for (const [name, measured] of values) {
    if (measured?.others === undefined) continue;
    const names = list.filter((one) => [measured.field, ...(measured.others ?? [])].includes(one));
    const which = new Set(names).size > 1 ? ` (${names.join(', ')})` : '';
    throw invalid(`names ${name} twice${which}`);
  }
  for (const [index, name] of list.entries()) {
    const first = positions.get(name.toLowerCase());
    if (first !== undefined && first !== index && used.has(first) && name !== '')
      throw invalid(`names ${name.toLowerCase()} twice`);
  }
  for (const { theirs } of only) {
    if (!positions.has(theirs.toLowerCase()))
      throw invalid(`has no column ${theirs}, which --only names`);
  }
  if (isLong) return; // names in rows may be mapped, too
  for (const { theirs } of columns) {
    const parts = positions.has(theirs.toLowerCase()) ? [theirs] : theirs.split('+');
    if (!parts.every((part) => positions.has(part.trim().toLowerCase())))
      throw invalid(`has no column ${theirs}, which --column names`);
  }
}

const ANOTHER_NAME =
  'Say which columns of other names are meant: --column time=NAME, --column pm25=NAME.';

/** `H01`, `01:00`, `1`. */
const HOUR = /^h?(?:[01]?\d|2[0-4])(?::00|h)?$/i;

const TURN_IT =
  'Turn it into rows of one value each: src/ingest/README.md has the lines under "Wide files".';

const WHOSE =
  'If all rows come from one sensor, say which: --device with its name in the network file, or --sensor with its id.';
