/** The command that shows how the service is doing: the database, how fresh its numbers are, and what arrives from whom. */
import { Command, Option } from 'commander';
import type { Sql } from '../database/client.ts';
import {
  mostUrgent,
  type OtherArrivals,
  type ProviderArrivals,
  providerArrivals,
  type SensorArrivals,
  sensorArrivals,
  type UnknownSender,
} from '../ingest/arrivals.ts';
import { type ServerVersions, serverVersions, versionsInWords } from '../schema/engine.ts';
import type { Context, Outcome, Run } from './context.ts';
import { ago, table } from './table.ts';

/** As many as fit on a screen or two. */
const MOST_SENSORS = 40;

/** `version` is that of this program. */
export function statusCommand(run: Run, version: string): Command {
  return new Command('status')
    .description('show versions, how fresh the numbers are, and what arrives from each provider')
    .option('--sensors', `show ${MOST_SENSORS} sensors, silent ones first, and what of them waits in quarantine`)
    .addOption(new Option('--all', 'show all sensors, by id').implies({ sensors: true }))
    .action(({ sensors = false, all = false }: { sensors?: boolean; all?: boolean }) =>
      run((context) => (sensors ? sensorStatus(context, all) : status(context, version))),
    );
}

type Freshness = {
  refreshed_at: string | null;
  digest_made_at: string | null;
  newest_reading: string | null;
  audited_at: string | null;
  differing_buckets: number | null;
};

async function readFreshness(sql: Sql, providers: readonly ProviderArrivals[]): Promise<Freshness> {
  const [row] = await sql<[Omit<Freshness, 'newest_reading'>]>`
    select f.refreshed_at, (select max(made_at) from rollup.digest) as digest_made_at, audit.made_at as audited_at,
      audit.differing as differing_buckets
    from api.freshness f left join api.last_audit audit on true`;
  const times = providers.flatMap(({ newest_reading }) => newest_reading ?? []);
  const newest = times.sort((a, b) => Date.parse(b) - Date.parse(a))[0] ?? null;
  return { ...row, newest_reading: newest };
}

async function status({ as, clock, config, database, installation }: Context, version: string): Promise<Outcome> {
  const now = clock();
  const { versions, providers, freshness } = await as('airseries_owner', async (sql) => {
    const found = await providerArrivals(sql, now);
    return { versions: await serverVersions(sql), providers: found, freshness: await readFreshness(sql, found) };
  });
  const { engine, timeZone, epoch } = installation;
  const where = database.embedded ? { data_dir: config.dataDirectory } : { database_url: 'set' };
  const result = {
    ...{ engine, time_zone: timeZone, epoch, ...where },
    versions: { airseries: version, node: process.version, ...versions },
    freshness,
    providers,
  };
  return { result, ok: true, table: () => statusTable(result, now) };
}

type Status = {
  engine: string;
  time_zone: string;
  versions: ServerVersions & { airseries: string; node: string };
  freshness: Freshness;
  providers: readonly ProviderArrivals[];
};

/** The result as text. */
export function statusTable({ engine, time_zone, versions, freshness, providers }: Status, now: Date): string {
  const named = [`airseries ${versions.airseries}`, `node ${versions.node}`, ...versionsInWords(versions)];
  const { differing_buckets: differing } = freshness;
  const facts: [string, string][] = [
    ['engine', `${engine}, ${time_zone}`],
    ['versions', named.join(', ')],
    ['newest reading', ago(freshness.newest_reading, now)],
    ['aggregates refreshed', ago(freshness.refreshed_at, now)],
    ['newest digest', ago(freshness.digest_made_at, now)],
    ['last audit', `${ago(freshness.audited_at, now)}${differing ? `: ${differing} buckets differ` : ''}`],
  ];
  const rows = providers.map(({ id, online, offline, newest_reading, pull, tokens, quarantined }) => [
    ...[id, online, offline, ago(newest_reading, now)],
    pull === null ? null : pullState(pull, now),
    tokens.map(({ name, last_used_at }) => `${name}: ${ago(last_used_at, now)}`).join(', '),
    quarantined,
  ]);
  const headings = ['provider', 'online', 'offline', 'newest reading', 'pull', 'tokens, last used', 'quarantined'];
  const list = rows.length === 0 ? 'There is no network yet: import network FILE.' : table(headings, rows);
  return `${facts.map(([name, value]) => `${name.padEnd(22)}${value}`).join('\n')}\n\n${list}`;
}

function pullState({ every, succeeded_at, failures, error }: NonNullable<ProviderArrivals['pull']>, now: Date): string {
  const outcome = failures > 0 ? `, then ${failures} failures: ${error}` : '';
  return `every ${every}, succeeded ${ago(succeeded_at, now)}${outcome}`;
}

async function sensorStatus({ as, clock }: Context, all: boolean): Promise<Outcome> {
  const now = clock();
  const found = await as('airseries_owner', (sql) => sensorArrivals(sql, now));
  const result = all ? found : mostUrgent(found, MOST_SENSORS);
  return { result, ok: true, table: () => sensorTable(result, now) };
}

type Sensors = { sensors: readonly SensorArrivals[]; unknown: readonly UnknownSender[]; others?: OtherArrivals };

/** The result as text. */
export function sensorTable({ sensors, unknown, others }: Sensors, now: Date): string {
  const rows = sensors.map(({ sensor, kind, device, station, newest_reading, waiting }) => [
    ...[sensor, kind, device, station, ago(newest_reading, now), waiting],
  ]);
  const known = table(['sensor', 'kind', 'device', 'station', 'newest reading', 'waiting in quarantine'], rows);
  const parts = others === undefined ? [known] : [known, ...otherSensors(others)];
  if (unknown.length > 0) {
    const senders = unknown.map(({ sensor, device, waiting, newest }) => [sensor, device, waiting, ago(newest, now)]);
    const more = others !== undefined && others.unknown > 0 ? [`and ${others.unknown} others: --all shows them`] : [];
    const hint = 'quarantine list --reason unknown_sensor says what to write in the network file.';
    parts.push('', 'Not in the network:', table(['sensor', 'device', 'waiting', 'newest'], senders), ...more, hint);
  }
  return parts.join('\n');
}

function otherSensors({ need_attention, fine }: OtherArrivals): string[] {
  if (need_attention + fine === 0) return [];
  return [`and ${need_attention} others that are silent or wait, and ${fine} that are fine: --all shows them`];
}
