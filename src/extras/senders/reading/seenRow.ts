/** A row as it was read: the doubts and the facts about its source are found from it. */
import type { ReadingInput } from '../../../ingest/reading/reading.ts';
import type { Row } from '../../../ingest/rows/row.ts';
import type { Format } from '../formats/format.ts';
import type { Plan } from './plan.ts';
import type { TimeColumn } from './timeColumn.ts';
import type { ReadTime } from './times.ts';
import type { NamedValue } from './values.ts';

export type SeenRow = {
  format: Format;
  row: Row;
  plan: Plan;
  named: readonly NamedValue[];
  /** The sensor or the device. */
  owner: unknown;
  /** What stands for its time. */
  given: unknown;
  /** Where its time is; undefined: it gets the time of arrival, or is refused or left out. */
  column: TimeColumn | undefined;
  /** Its time as it was read; undefined: the row is refused or left out. */
  time: ReadTime | undefined;
  /** Undefined: the row is refused or left out. */
  reading: ReadingInput | undefined;
};
