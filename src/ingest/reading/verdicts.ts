/**
 * Recognizes columns in which a source says itself which of its rows count (S7): whether they are
 * valid, or means of what. They are obeyed by declaration, and never passed over silently.
 */
import type { Doubt } from './doubt.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The values of each such column that is not used, as far as they were met. */
export type Verdicts = Map<string, Set<string>>;

const WORD = /^(?:valid|invalid|status$|flags?$|qc|qa$|qaqc|qualif|verif|agg)/;

/** True for a name such as Validity, QC_flag, status, AggType. */
export const isVerdict = (name: string): boolean =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => WORD.test(word));

/** Values that are kept of a column, for messages, and columns: JSON may have new ones on every line. */
const MOST_VALUES = 12;
const MOST_COLUMNS = 20;

export function noteVerdict(verdicts: Verdicts, name: string, given: unknown): void {
  let values = verdicts.get(name);
  if (values === undefined) {
    if (verdicts.size === MOST_COLUMNS) return;
    values = new Set();
    verdicts.set(name, values);
  }
  if (values.size < MOST_VALUES)
    values.add(
      String(given ?? '')
        .trim()
        .slice(0, 30),
    );
}

/** Words for a row that counts: valid and provisional ones were both measured. */
const COUNTING =
  /^(?:v|p|r|valid|validated|verified|provisional|preliminary|ratified|ok|good|passed|pass)$/i;

/**
 * The columns that tell rows apart. One that has a single value in all rows leaves nothing out; one
 * whose values all say that a row counts, neither.
 */
const dividing = (verdicts: Verdicts): [name: string, values: readonly string[]][] =>
  [...verdicts].flatMap(([name, values]): [string, readonly string[]][] => {
    const all = [...values];
    return all.length < 2 || all.every((value) => COUNTING.test(value)) ? [] : [[name, all]];
  });

const listed = (columns: readonly [name: string, values: readonly string[]][]): string =>
  columns
    .map(([name, values]) => `${name} (${values.map((value) => value || 'empty').join(', ')})`)
    .join(', ');

/** Where such columns tell rows apart and nobody uses them. */
export function verdictDoubts(verdicts: Verdicts, say: Vocabulary): Doubt[] {
  const columns = dividing(verdicts);
  const [first] = columns;
  if (first === undefined) return [];
  const [name, [value = '']] = first;
  return [
    {
      what: `which rows count seems to stand in ${listed(columns)}, and is not used`,
      remedy: `Write ${say.option('only', `${name}=${value}`)} for rows with that value alone (several with commas), or ${say.option('only', `${name}=*`)} if all of them count.`,
    },
  ];
}
