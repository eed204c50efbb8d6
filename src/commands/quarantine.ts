/** Commands about what could not be used: what it is, another try for it, and out with it. */

import { dropQuarantined, listQuarantine } from '../ingest/quarantine/list.ts';
import { retryQuarantined } from '../ingest/quarantine/retry.ts';
import { refresh } from '../rollups/refresh.ts';
import { type Context, type Outcome, UsageError } from './context.ts';

export type QuarantineOptions = {
  reason?: string | undefined;
  source?: string | undefined;
  /** Empty: what was imported by hand. */
  provider?: string | undefined;
  limit?: string | undefined;
  before?: string | undefined;
  all?: boolean | undefined;
};

const SHOWN = '50';

export async function quarantineListCommand({ as }: Context, options: QuarantineOptions): Promise<Outcome> {
  const { reason, source, provider, limit = SHOWN } = options;
  if (!/^[1-9]\d{0,5}$/.test(limit)) throw new UsageError('--limit is a number');
  const filter = { reason, source, provider };
  return { result: await as('airseries_owner', (sql) => listQuarantine(sql, filter, Number(limit))), ok: true };
}

export async function quarantineRetryCommand(
  { database, as, clock, log, terminal }: Context,
  { reason, source, provider }: QuarantineOptions,
): Promise<Outcome> {
  const options = { reason, source, provider, now: clock(), log, terminal };
  const result = await as('airseries_owner', (sql) => retryQuarantined(sql, options));
  await refresh(database.target, clock());
  return { result, ok: true };
}

export async function quarantineDropCommand({ as, instant }: Context, options: QuarantineOptions): Promise<Outcome> {
  const { reason, source, provider, all = false } = options;
  const before = await instant('before', options.before);
  const filters = [reason, source, provider, before].filter((given) => given !== undefined);
  if (all === filters.length > 0) {
    throw new UsageError(
      'quarantine drop needs --reason, --source, --provider or --before; or --all, and nothing else',
    );
  }
  const dropped = await as('airseries_owner', (sql) => dropQuarantined(sql, { reason, source, provider, before }));
  return { result: { dropped }, ok: true };
}
