/**
 * Recognizes columns in which a source says itself which of its rows count (S7): whether they are
 * valid, or means of what; or which values of one column count, and where each is from (S9). They
 * are obeyed by declaration, and never passed over silently.
 */
import type { ParameterName } from '../../../contract/parameters.ts';
import type { Doubt } from '../../../ingest/reading/doubt.ts';
import type { Vocabulary } from '../../../ingest/reading/vocabulary.ts';
import type { Row } from '../../../ingest/rows/row.ts';
import { ownName } from '../formats/ownNames.ts';
import { cellAt, type Position } from '../rows/cells.ts';
import { wordsOf } from './words.ts';

/** An unused column that seems to say whether a row counts, or a value of the column `of`. */
export type VerdictColumn = { name: string; of?: string; position: Position };

/** A column that is not used, and its values as far as they were met. */
type Verdict = {
  values: Set<string>;
  /** The column whose values it judges; undefined: it judges rows. */
  of: string | undefined;
};

const WORD = /^(?:valid|invalid|status$|flags?$|qc|qa$|qaqc|qualif|verif|agg)/;

/** True for a name such as Validity, QC_flag, status, AggType. */
export const isVerdict = (name: string): boolean =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => WORD.test(word));

/** Words for a verdict on one value, or for its source, and words that say nothing beside them. */
const JUDGING = /^(?:valid\w*|invalid|status|flags?|qc|qa|qaqc|qualif\w*|quality|verif\w*|source)$/;
const NO_MATTER = 'id code level type value check control result'.split(' ');

/** A column with values of a parameter. */
type Judged = { parameter: ParameterName; field: string };

/**
 * The columns whose values a column of this name judges: `temperature_Quality_Code`, `qc_pm25`,
 * `temp_source`. None: it judges no value by itself.
 */
export function judgedBy<T extends Judged>(name: string, columns: readonly T[]): T[] {
  const all = wordsOf(name);
  const words = all.filter((word) => !JUDGING.test(word));
  if (words.length === all.length) return [];
  const base = words.filter((word) => !NO_MATTER.includes(word));
  if (base.length === 0) return [];
  const parameter = ownName(base.join('_'))?.parameter;
  const isOf = ({ field }: T) => wordsOf(field).slice(0, base.length).join(' ') === base.join(' ');
  const named = columns.filter(isOf);
  return named.length > 0 ? named : columns.filter((one) => one.parameter === parameter);
}

/** At most this many values and columns are kept: JSON may bring new ones on every line. */
const MOST_VALUES = 12;
const MOST_COLUMNS = 20;

export function makeVerdicts() {
  const byColumn = new Map<string, Verdict>();
  return {
    see(row: Row, verdicts: readonly VerdictColumn[]): void {
      for (const { name, of, position } of verdicts) {
        let known = byColumn.get(name);
        if (known === undefined) {
          if (byColumn.size === MOST_COLUMNS) continue;
          known = { values: new Set(), of };
          byColumn.set(name, known);
        }
        if (known.values.size === MOST_VALUES) continue;
        const given = String(cellAt(row, position) ?? '');
        known.values.add(given.trim().slice(0, 30));
      }
    },
    doubts: (say: Vocabulary): Doubt[] => doubtsAbout(dividing(byColumn), say),
  };
}

/** Words for a row that counts: valid and provisional ones were both measured. */
const COUNTING =
  /^(?:v|p|r|valid|validated|verified|provisional|preliminary|ratified|ok|good|passed|pass)$/i;

type Dividing = { name: string; of: string | undefined; values: readonly string[] };

/**
 * The columns that tell rows or values apart. A column with a single value leaves nothing
 * out, nor does one whose values all say that a row counts.
 */
const dividing = (verdicts: ReadonlyMap<string, Verdict>): Dividing[] =>
  [...verdicts].flatMap(([name, { of, values }]) => {
    const all = [...values];
    return all.length < 2 || all.every((value) => COUNTING.test(value))
      ? []
      : [{ name, of, values: all }];
  });

const listed = (columns: readonly Dividing[]): string =>
  columns
    .map(({ name, values }) => `${name} (${values.map((value) => value || 'empty').join(', ')})`)
    .join(', ');

/** One doubt about all unused columns that tell rows or values apart. */
function doubtsAbout(columns: readonly Dividing[], say: Vocabulary): Doubt[] {
  const [first] = columns;
  if (first === undefined) return [];
  const fields = columns.flatMap(({ of }) => of ?? []);
  const isOfRows = fields.length < columns.length;
  const options = columns.map(({ name, values: [value = ''] }) =>
    say.option('only', `${name}=${value}`),
  );
  const what = [
    ...(isOfRows ? ['rows'] : []),
    ...(fields.length === 0 ? [] : [`values of ${[...new Set(fields)].join(', ')}`]),
  ].join(' and which ');
  const these = isOfRows ? 'rows with that value' : 'values with that word beside them';
  const rest = fields.length === 0 ? '' : '; a value that is left out leaves the rest of its row';
  return [
    {
      what: `which ${what} count seems to stand in ${listed(columns)}, and is not used`,
      remedy: `Write ${options.join(' ')} for ${these} alone (several with commas)${rest}, or ${say.option('only', `${first.name}=*`)} if all of them count.`,
    },
  ];
}
