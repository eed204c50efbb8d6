/**
 * The observer of ingestion: it learns what became of readings. Metrics are one; ingestion itself
 * knows of none.
 */
import type { Accepted, WriteStats } from './store/accept.ts';

export type IngestObserver = {
  /** Called after each batch of a provider. */
  onBatch(provider: string, outcome: Accepted): void;
  /** Called after each write to the table of readings. */
  onWrite(written: WriteStats): void;
};
