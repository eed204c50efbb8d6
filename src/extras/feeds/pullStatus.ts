/** The facts that `status` shows of feeds: how often they are polled, and how that went. */
import type { ProviderFacts } from '../../commands/status.ts';
import { type Column, since } from '../../commands/table.ts';
import type { Sql } from '../../database/client.ts';

type Pulled = {
  every: string;
  started_at: string | null;
  succeeded_at: string | null;
  failures: number;
  /** The last failure or, without one, that the feed has had nothing new for long. */
  error: string | null;
};

/** Providers that are polled, by id. `sql` is a pool of the owner in the network's time zone. */
async function readPulls(sql: Sql): Promise<ReadonlyMap<string, Pulled>> {
  const rows = await sql<{ id: string; pull: Pulled }[]>`
    select p.id, jsonb_build_object('every', p.pull ->> 'every', 'started_at', nullif(last.started_at, '-infinity'),
      'succeeded_at', last.succeeded_at, 'failures', coalesce(last.failures, 0), 'error', last.error) as pull
    from raw.provider p left join raw.pull last on last.provider_id = p.id
    where p.pull is not null
    order by p.id`;
  return new Map(rows.map(({ id, pull }) => [id, pull]));
}

const columns = (now: Date): Column<Pulled & { id: string }>[] => [
  ['pulled from', ({ id }) => id],
  ['every', ({ every }) => every],
  ['succeeded', ({ succeeded_at }) => since(succeeded_at, now)],
  ['failures since', ({ failures }) => (failures > 0 ? failures : null)],
];

export const pullStatus = {
  key: 'pull',
  read: readPulls,
  columns: columns as ProviderFacts['columns'],
  remark: (({ error }: Pulled) => error) as NonNullable<ProviderFacts['remark']>,
} satisfies ProviderFacts;
