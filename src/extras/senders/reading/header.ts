/**
 * Checks the header of a table: whether a reading can be read by it, and what to say where it
 * cannot.
 */
import { InputError } from '../../../base/inputError.ts';
import type { Declarations } from '../../../ingest/reading/declarations.ts';
import { COMMAND_LINE, type Vocabulary } from '../../../ingest/reading/vocabulary.ts';
import type { Header } from '../../../ingest/rows/csv.ts';
import { MOST_FIELDS, type Row } from '../../../ingest/rows/row.ts';
import { isOwn } from '../formats/formats.ts';
import type { Layout, Plan } from './plan.ts';
import { isUnitColumn } from './unitColumns.ts';

/**
 * Why a header cannot be used: it lacks what a reading needs, or names it twice. Throws InputError for
 * one by which no row can be read at all. `position`: its file and line, for messages.
 */
export function* problemsOf(
  header: Pick<Header, 'names' | 'text'>,
  position: string,
  { format, columns, only }: Layout,
  plan: Plan,
  declared: Declarations,
): Generator<InputError> {
  const { list, positions } = header.names;
  if (list.length > MOST_FIELDS && isOwn(format))
    throw new InputError(
      position,
      `the header has more than ${MOST_FIELDS} columns`,
      `At most ${MOST_FIELDS} are read: leave out those that are not needed.`,
    );
  const { say = COMMAND_LINE } = declared;
  const { owner, time } = format.needs;
  const needed = format.needs.all(say);
  const { values } = plan;
  const isLong = plan.long !== undefined;
  const hasTime = plan.time.positions.length > 0;
  const invalid = (what: string, remedy = needed) =>
    new InputError(
      position,
      `the header ${what}: ${JSON.stringify(header.text.slice(0, 300))}`,
      remedy,
    );
  if (list.filter((name) => HOUR.test(name)).length >= 23)
    throw invalid('is of a wide file, with a column for each hour of a day', TURN_IT);
  const isOwned = [...plan.sensor.positions, ...plan.device.positions].length > 0;
  if (!hasTime && !isOwned && !isLong && isData(list))
    throw new InputError(
      position,
      `the first line is no header: expected the names of the columns, found ${JSON.stringify(header.text.slice(0, 300))}`,
      putInFront(list, header.names.delimiter, say),
    );
  const isOfNobody = !isOwned && declared.sensor === undefined && declared.device === undefined;
  if (isOfNobody && hasTime && values.length === 0 && !isLong && list.length > 2)
    return yield invalid(
      `names neither a sensor nor a parameter; is it of a wide file, with a column for each station`,
      `${TURN_IT} If it is not: ${needed}`,
    );
  if (isOfNobody)
    yield invalid(
      `has no column ${owner}`,
      format.isLong === true ? whose(say) : `${needed} ${whose(say)}`,
    );
  if (!hasTime && declared.now === undefined)
    yield invalid(`has no column ${time}`, `${needed} ${anotherName(say)}`);
  if (values.length === 0 && !isLong)
    yield invalid('names no parameter', `${needed} ${anotherName(say)}`);
  for (const { parameter, columns: all } of values) {
    // a total and its amount are not two columns of one parameter
    const same = all.filter(({ isTotal }) => isTotal === all[0]?.isTotal);
    if (same.length < 2) continue;
    const indexes = new Set(same.map((one) => one.position.index));
    const names = list.filter((_, index) => indexes.has(index));
    const which = new Set(names).size > 1 ? ` (${names.join(', ')})` : '';
    yield invalid(`names ${parameter} twice${which}`);
  }
  const isUsed = (index: number) => plan.table?.unused.includes(index) !== true;
  for (const [index, name] of list.entries()) {
    const first = positions.get(name.toLowerCase());
    const isTwice = first !== undefined && first !== index && isUsed(first) && name !== '';
    // each column of units belongs to the one beside it
    if (isTwice && !isUnitColumn(name)) yield invalid(`names ${name.toLowerCase()} twice`);
  }
  for (const { theirs, isOfFormat } of only) {
    if (!isOfFormat && !positions.has(theirs.toLowerCase()))
      yield invalid(`has no column ${theirs}, which ${say.option('only')} names`);
  }
  if (isLong) return; // names in rows may be mapped, too
  for (const { theirs } of columns) {
    const parts = positions.has(theirs.toLowerCase()) ? [theirs] : theirs.split('+');
    if (!parts.every((part) => positions.has(part.trim().toLowerCase())))
      yield invalid(`has no column ${theirs}, which ${say.option('column')} names`);
  }
}

const DATE = /^\d{1,4}[-/.]\d\d?[-/.]\d{1,4}$/;
const TIME_OF_DAY = /^\d\d?:\d\d(?::\d\d)?$/;
const DATE_AND_TIME = /^\d{1,4}[-/.]\d\d?[-/.]\d{1,4}[T ].*\d/;
const NUMBER = /^[-+]?\d+(?:[.,]\d+)?$/;

/** True if all fields are numbers or times, or half of them with a time among them. */
function isData(fields: readonly string[]): boolean {
  const given = fields.filter((field) => field !== '');
  const times = given.filter((field) =>
    [DATE, TIME_OF_DAY, DATE_AND_TIME].some((form) => form.test(field)),
  );
  const numbers = given.filter((field) => NUMBER.test(field));
  const count = times.length + numbers.length;
  return count > 0 && (count === given.length || (times.length > 0 && count * 2 >= given.length));
}

/** How to put a header in front of lines like this one. */
function putInFront(fields: readonly string[], delimiter: string, say: Vocabulary): string {
  const names = fields.map((field, at) => {
    if (DATE_AND_TIME.test(field)) return 'time';
    if (DATE.test(field)) return 'date';
    return TIME_OF_DAY.test(field) ? 'clock' : `column${at + 1}`;
  });
  const line = names.join(delimiter);
  const joined = names.includes('date') && names.includes('clock');
  const mapped = [...(joined ? ['time=date+clock'] : []), `pm25=column${fields.length}`];
  const example = mapped.map((one) => say.option('column', one)).join(' and ');
  return `Put a line with a name for each of its ${fields.length} columns in front, as in (echo '${line}'; cat OLD) > NEW. Then say which is which, as in ${example}.`;
}

/**
 * The doubt about the times of a table whose header names none, by its first row; empty: nothing in it
 * looks like a time.
 */
export function unnamedTime(
  { names, cells, line }: Row,
  say: Vocabulary = COMMAND_LINE,
): InputError[] {
  const columnOf = (form: RegExp) => names.list[cells.findIndex((cell) => form.test(String(cell)))];
  const apart = [columnOf(DATE), columnOf(TIME_OF_DAY)];
  const column =
    columnOf(DATE_AND_TIME) ?? (apart.includes(undefined) ? undefined : apart.join('+'));
  if (column === undefined) return [];
  const doubt = new InputError(
    `line ${line}`,
    `its times seem to be in ${column}`,
    `Add ${say.option('column', `time=${column}`)} and, if they have no offset, the zone of their clock: ${say.option('zone', 'Europe/Berlin')}, or ${say.option('zone', '+01:00')} for winter time all year.`,
  );
  return [doubt];
}

const anotherName = (say: Vocabulary) =>
  `Say which columns of other names are meant: ${say.option('column', 'time=NAME')}, ${say.option('column', 'pm25=NAME')}.`;

/** `H01`, `01:00`, `1`. */
const HOUR = /^h?(?:[01]?\d|2[0-4])(?::00|h)?$/i;

const TURN_IT =
  'Turn it into rows of one value each: src/extras/senders/README.md has the lines under "Wide files".';

const whose = (say: Vocabulary) =>
  `If all rows come from one sensor, say which: ${say.option('device')} with its name in the network file, or ${say.option('sensor')} with its id.`;
