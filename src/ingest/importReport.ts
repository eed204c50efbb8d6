/**
 * The report of an import: its summary, and the lines of the log beside it. A column that is not used
 * and a reason for which a reading cannot be used are said once, whatever number of files has them.
 */
import type { Log } from '../base/log.ts';
import { makeProgress, type Progress } from '../base/progress.ts';
import { AIRSERIES } from '../base/shell.ts';
import { explainReading, explainValue, hintsOf } from './explain.ts';
import type { Explaining } from './formats.ts';
import type { Findings, SourceFacts } from './reading/facts.ts';
import { addSpan, describeGap, emptySpan, inUtc, type Span } from './reading/span.ts';
import { COMMAND_LINE } from './reading/vocabulary.ts';
import { replacedBy, type StoredRow } from './store/accept.ts';
import {
  addReplaced,
  describeReplaced,
  NOTHING_REPLACED,
  type ReplacedValues,
} from './store/replaced.ts';
import type { Staged } from './store/stage.ts';
import {
  columnOfReason,
  READING_REASONS,
  type ReadingReason,
  type ValueReason,
} from './store/validate.ts';

/** The outcome of all files, as the command prints it. */
export type ImportSummary = {
  received: number;
  accepted: number;
  unchanged: number;
  /** Null: no stored value was. */
  replaced: ReplacedValues | null;
  /** The times of what was accepted or unchanged, in UTC; null: nothing was. */
  oldest: string | null;
  newest: string | null;
  /** Whole readings, by reason. */
  quarantined: Partial<Record<ReadingReason, number>>;
  /** Single values left out of readings, by reason and parameter. */
  values: Partial<Record<ValueReason, number>>;
  /** The first of each reason. */
  examples: {
    reason: ReadingReason | ValueReason;
    position: string;
    text: string;
    explanation: string;
  }[];
  /**
   * Accepted readings without a placement at their time: the sensor was at no station or was
   * suspicious.
   */
  without_station: number;
  /** Lines for which the quarantine had no room. */
  left_out_of_quarantine: number;
  /** Rows that --only leaves out. */
  excluded: number;
  /** Columns and keys that are not used. */
  ignored: string[];
  /** Sentences about what was stored and is perhaps not meant so. */
  hints: string[];
  /** The formats that the files were read by. */
  formats: string[];
  /** A source could not be read to its end; the readings before are stored. */
  failed: boolean;
  failures: string[];
};

export type SourceReport = ReturnType<ReturnType<typeof makeImportReport>['source']>;

/**
 * `terminal`: stderr is one, and progress is drawn on it, of reading a file and then of storing it.
 * `part`: how much of the files was read, from 0 to 1; undefined: their sizes are unknown.
 * `networkZone` is offered for times without one.
 */
export function makeImportReport(
  log: Log,
  terminal: boolean,
  part: () => number | undefined,
  formats: Explaining,
  networkZone?: string,
) {
  const summary = emptySummary();
  const span = emptySpan();
  let replaced = NOTHING_REPLACED;
  let isLeft = false;
  const reading = makeProgress('reading', log, terminal);
  let progress = reading;
  /** A line of the log takes the place of the progress. */
  const report = (level: 'info' | 'warn' | 'error', fields: object, message: string) => {
    progress.hide();
    log[level](fields, message);
  };

  /** Says what becomes of one source, `name`. */
  const source = (name: string) => {
    let ownReplaced = NOTHING_REPLACED;
    let storing: Progress | undefined;
    let done = 0;
    return {
      linesBefore({ linesBefore: lines }: SourceFacts) {
        if (lines > 0)
          report('info', { source: name, lines }, 'lines before the header are passed over');
      },
      /** Rows that are read and wait to be stored. */
      staged(rows: number) {
        progress = reading;
        reading.show(summary.received + rows, part());
      },
      /** Adds the outcome of a part of them. */
      stored(row: StoredRow, { examples, rows }: Staged, { ignored }: SourceFacts) {
        const columns = [...ignored.keys()].filter((one) => !summary.ignored.includes(one));
        if (columns.length > 0)
          report('info', { source: name, columns }, 'unknown columns are ignored');
        summary.ignored.push(...columns);
        addOutcome(summary, row);
        ownReplaced = addReplaced(ownReplaced, replacedBy(row));
        for (const example of newExamples(summary, examples, name, formats, networkZone)) {
          summary.examples.push(example);
          const { position, reason, explanation } = example;
          const only = 'only the first of each reason is shown';
          report('warn', { position, reason }, `not used: ${explanation} (${only})`);
        }
        progress.hide();
        storing ??= makeProgress('storing', log, terminal);
        progress = storing;
        done += row.received;
        storing.show(done, done / rows);
      },
      /** It is not stored: that was only a plan. */
      left() {
        isLeft = true;
        progress.hide();
      },
      /** Replaced values are a surprise where a file was only to add something. */
      end(facts: SourceFacts, ownSpan: Span) {
        addSpan(span, ownSpan);
        replaced = addReplaced(replaced, ownReplaced);
        const values = describeReplaced(ownReplaced);
        if (values !== undefined)
          report('info', { source: name, ...values }, 'stored values were replaced or withdrawn');
        summary.excluded += facts.excluded;
        if (!summary.formats.includes(facts.format)) summary.formats.push(facts.format);
      },
      hints(found: Findings, corrections: string | undefined, ownSpan: Span) {
        for (const hint of hintsOf(found, [], corrections, describeGap(ownSpan))) {
          const text = `${name}: ${hint}`;
          summary.hints.push(text);
          progress.hide();
          log.warn(text);
        }
      },
    };
  };

  const failed = (message: string) => {
    progress.hide();
    log.error(message);
    summary.failed = true;
    summary.failures.push(message);
  };

  return {
    source,
    failed,
    /** The summary of the files at `paths`, once all of them are read. */
    end(paths: readonly string[]): ImportSummary {
      progress.hide();
      summary.replaced = describeReplaced(replaced) ?? null;
      const { oldest, newest } = span;
      summary.oldest = oldest === undefined ? null : inUtc(oldest);
      summary.newest = newest === undefined ? null : inUtc(newest);
      const none =
        isLeft || (summary.failed && summary.received === 0)
          ? undefined
          : whyNothing(summary, paths);
      if (none !== undefined) failed(none);
      return summary;
    },
  };
}

const emptySummary = (): ImportSummary => ({
  received: 0,
  accepted: 0,
  unchanged: 0,
  replaced: null,
  oldest: null,
  newest: null,
  quarantined: {},
  values: {},
  examples: [],
  without_station: 0,
  left_out_of_quarantine: 0,
  excluded: 0,
  ignored: [],
  hints: [],
  formats: [],
  failed: false,
  failures: [],
});

function addOutcome(summary: ImportSummary, row: StoredRow): void {
  summary.received += row.received;
  summary.accepted += row.accepted;
  summary.unchanged += row.unchanged;
  summary.without_station += row.without_station;
  summary.left_out_of_quarantine += row.left_out;
  addReasons(summary, row);
}

/** Adds why rows, and values of other rows, cannot be used. */
export function addReasons(
  { quarantined, values }: Pick<ImportSummary, 'quarantined' | 'values'>,
  row: StoredRow,
): void {
  for (const reason of row.refused_reasons) quarantined[reason] = (quarantined[reason] ?? 0) + 1;
  for (const [reason, count] of Object.entries(row.value_reasons) as [ValueReason, number][])
    values[reason] = (values[reason] ?? 0) + count;
}

const EXAMPLE_LENGTH = 300;

/** The first reading of each reason that has no example yet. */
function newExamples(
  { examples, quarantined, values }: ImportSummary,
  found: Staged['examples'],
  source: string,
  formats: Explaining,
  networkZone: string | undefined,
): ImportSummary['examples'] {
  const known = new Set<string>(examples.map(({ reason }) => reason));
  const reasons = [...Object.keys(quarantined), ...Object.keys(values)] as ReadingReason[];
  return reasons
    .filter((reason) => found.has(reason) && !known.has(reason))
    .map((reason) => exampleOf(reason, found, source, formats, networkZone));
}

/** The first reading of a source that has a reason, with the reason in words. */
export function exampleOf(
  reason: ReadingReason | ValueReason,
  found: Staged['examples'],
  source: string,
  formats: Explaining,
  networkZone: string | undefined,
): ImportSummary['examples'][number] {
  const reading = found.get(reason);
  const explanation =
    reason in READING_REASONS
      ? explainReading(reason, reading ?? {}, formats, COMMAND_LINE, networkZone)
      : explainValue(reason, reading?.values[columnOfReason(reason as ValueReason)], formats);
  return {
    reason,
    position: `${source}:${reading?.line ?? '?'}`,
    text: reading?.text.slice(0, EXAMPLE_LENGTH) ?? '',
    explanation: explanation ?? reason,
  };
}

/** The first example, which says more where it is the value by which a reading has none. */
function firstOf(examples: ImportSummary['examples']): string {
  const example = examples.find(({ reason }) => reason !== 'no_value') ?? examples[0];
  return example === undefined ? '' : `: ${example.position}: ${example.explanation}`;
}

/** Why nothing of what was read is stored now; undefined if something is. */
function whyNothing(
  { received, accepted, unchanged, excluded, examples }: ImportSummary,
  paths: readonly string[],
): string | undefined {
  if (accepted + unchanged > 0) return undefined;
  if (received > 0)
    return `none of the ${received} readings could be used${firstOf(examples)}. The log has an example of each reason; all of them: ${AIRSERIES} quarantine list`;
  const names = paths.join(', ');
  return excluded > 0
    ? `${names}: --only leaves out every row (${excluded})`
    : `${names}: there is no reading in it: no line follows the header, or its list is empty`;
}
