/**
 * How long what was read holds: until the data behind it change, or time alone changes it. A reading says until when it is valid without new
 * data, and at which data version it was made. A newer version makes it invalid, and so does another history of versions.
 */
import type { Clock } from '../clock.ts';
import type { DataVersionWatch } from './dataVersion.ts';

export type Validity = {
  /** The first instant at which it would change without new data. */
  validUntil: Date;
  /** The data version that was visible to the query. */
  version: number;
};

/** What is known of the version of the data. */
export type DataVersions = Pick<DataVersionWatch, 'current' | 'lastKnown' | 'sawVersion' | 'onChange'>;

/** When it was read, by our clock, and the history that counted its version; undefined if that was not known. */
export type Read = Validity & { readAt: number; history: string | undefined };

export const isOfThisHistory = ({ history }: Read, versions: DataVersions) => history === versions.lastKnown()?.history;

export function isCurrent(read: Read, versions: DataVersions, now: number): boolean {
  const version = versions.current();
  const isNewest = version !== undefined && read.version >= version && isOfThisHistory(read, versions);
  // before its own instant the clock was set back
  return isNewest && now < read.validUntil.getTime() && now >= read.readAt;
}

/** Returns what reads something once for all who ask for it while it is current. Never two readings at a time. Rejects as `read` does. */
export function shareWhileCurrent<T extends Validity>(
  read: (at: Date) => Promise<T>,
  { clock, versions }: { clock: Clock; versions: DataVersions },
): () => Promise<T> {
  let kept: (T & Read) | undefined;
  let underWay: Promise<T> | undefined;
  const keptIfCurrent = () => (kept && isCurrent(kept, versions, clock().getTime()) ? kept : undefined);

  async function begin(): Promise<T> {
    const at = clock();
    const history = versions.lastKnown()?.history;
    kept = { ...(await read(at)), readAt: at.getTime(), history };
    return kept;
  }

  return async () => {
    await underWay?.catch(() => undefined); // it may have begun before the last change
    const current = keptIfCurrent();
    if (current !== undefined) return current;
    underWay ??= begin().finally(() => {
      underWay = undefined;
    });
    return await underWay;
  };
}
