/**
 * The command that shows how the service is doing: the database, how fresh its numbers are, and
 * what arrives from whom.
 */
import { Command, Option } from 'commander';
import { readZoneRules, type ZoneRules } from '../aggregate/zoneRules.ts';
import { wrapped } from '../base/printable.ts';
import { AIRSERIES, shellWord } from '../base/shell.ts';
import type { ApiRow } from '../database/apiDb.ts';
import type { Sql } from '../database/client.ts';
import {
  mostUrgent,
  type OtherArrivals,
  type ProviderArrivals,
  providerArrivals,
  type SensorArrivals,
  sensorArrivals,
  type UnknownSender,
} from '../ingest/store/arrivals.ts';
import {
  type ServerVersions,
  serverVersions,
  type UnusedEngine,
  unusedEngine,
  unusedEngineInWords,
  versionsInWords,
} from '../schema/engine.ts';
import type { Context, Outcome, Run } from './context.ts';
import { ago, type Column, facts, since, tableOf, UNLIMITED } from './table.ts';

/** As many as fit on a screen or two. */
const MOST_SENSORS = 40;

/** Facts of providers that another room knows: a key of each in the result, and a table. */
export type ProviderFacts = {
  key: string;
  /** Facts by provider; null for one that is not found. */
  read(sql: Sql): Promise<ReadonlyMap<string, object>>;
  columns(now: Date): Column<Readonly<Record<string, unknown>>>[];
  /** A sentence about a provider, shown in full below the table; null: none. */
  remark?(facts: Readonly<Record<string, unknown>>): string | null;
};

/** Facts of providers and sentences about the settings, which the composition adds. */
type Added = { providerFacts: readonly ProviderFacts[]; remarks: () => readonly string[] };

/** `version` is this program's. */
export function statusCommand(run: Run, version: string, added: Added): Command {
  return new Command('status')
    .description('show versions, how fresh the numbers are, and what arrives from each provider')
    .option(
      '--sensors',
      `show ${MOST_SENSORS} sensors, those that stopped reporting first, how much of each is in quarantine, how sensors side by side agree, and whose clock differs`,
    )
    .addOption(new Option('--all', 'show all sensors, by id').implies({ sensors: true }))
    .action(({ sensors = false, all = false }: { sensors?: boolean; all?: boolean }) =>
      run((context) => (sensors ? sensorStatus(context, all) : status(context, version, added))),
    );
}

type RefreshState = {
  refreshed_at: string | null;
  digest_made_at: string | null;
  newest_reading: string | null;
  audited_at: string | null;
  differing_buckets: number | null;
};

async function readRefreshState(
  sql: Sql,
  providers: readonly ProviderArrivals[],
): Promise<RefreshState> {
  const [row] = await sql<[Omit<RefreshState, 'newest_reading'>]>`
    select f.refreshed_at, (select max(made_at) from rollup.digest) as digest_made_at, audit.made_at as audited_at,
      audit.differing as differing_buckets
    from api.freshness f left join api.last_audit audit on true`;
  const times = providers.flatMap(({ newest_reading }) => newest_reading ?? []);
  const newest = times.sort((a, b) => Date.parse(b) - Date.parse(a))[0] ?? null;
  return { ...row, newest_reading: newest };
}

/** Sensor hours that retention kept without readings; `missing` is null where a count takes long. */
type KeptHours = { recorded: number; missing: number | null };

async function readKeptHours(sql: Sql): Promise<KeptHours> {
  const [row] = await sql<[KeptHours]>`select recorded, missing from api.kept_hours`;
  return row;
}

/** Arrivals from each provider, with the facts that other rooms know of it. */
export async function readProviders(
  sql: Sql,
  now: Date,
  providerFacts: readonly ProviderFacts[],
): Promise<ProviderArrivals[]> {
  const found = await providerArrivals(sql, now);
  const facts = await Promise.all(providerFacts.map(({ read }) => read(sql)));
  return found.map((provider) => {
    const known = providerFacts.map(({ key }, n) => [key, facts[n]?.get(provider.id) ?? null]);
    return { ...provider, ...Object.fromEntries(known) };
  });
}

async function status(
  { as, clock, database, installation }: Context,
  version: string,
  { providerFacts, remarks }: Added,
): Promise<Outcome> {
  const now = clock();
  const { engine, timeZone, epoch } = installation;
  const { versions, unused, providers, freshness, zone, kept } = await as(
    'airseries_owner',
    async (sql) => {
      const found = await readProviders(sql, now, providerFacts);
      return {
        zone: await readZoneRules(sql),
        versions: await serverVersions(sql),
        unused: await unusedEngine(sql),
        providers: found,
        freshness: await readRefreshState(sql, found),
        kept: await readKeptHours(sql),
      };
    },
  );
  const { target, embedded } = database;
  const where =
    typeof target === 'string' || !embedded
      ? { database_url: 'set' }
      : {
          data_dir: database.dataDirectory,
          psql: `psql -h ${shellWord(target.host)} -U ${target.user} ${target.database}`,
        };
  const result = {
    engine,
    ...(unused === null ? {} : { unused_engine: unused }),
    time_zone: timeZone,
    zone_rules: zone,
    epoch,
    ...where,
    versions: { airseries: version, node: process.version, ...versions },
    freshness,
    kept_hours: kept,
    remarks: remarks(),
    providers,
  };
  return { result, ok: true, table: (width) => statusTable(result, now, width, providerFacts) };
}

type Status = {
  /** How to log in to an embedded server. */
  psql?: string;
  engine: string;
  /** A faster one that the server has. */
  unused_engine?: UnusedEngine;
  time_zone: string;
  zone_rules: ZoneRules;
  versions: ServerVersions & { airseries: string; node: string };
  freshness: RefreshState;
  kept_hours: KeptHours;
  remarks?: readonly string[];
  providers: readonly ProviderArrivals[];
};

/** Lines on changes of the zone's rules, and on what is to be settled; usually none. */
function zoneFacts(
  { changed_at, changed_from, refused_from, refused }: ZoneRules,
  now: Date,
): (readonly [string, string])[] {
  const said: string[] = [];
  if (refused !== null)
    said.push(
      `REFUSED from ${refused_from} on, days and months stay as they are: ${refused}. Give the server the tzdata from before, or make a new database`,
    );
  if (changed_at !== null)
    said.push(`changed from ${changed_from} on, followed ${ago(changed_at, now)}`);
  return said.map((text) => ['zone rules', text] as const);
}

/** A line where kept hours are lost; usually none. */
function keptFacts({ recorded, missing }: KeptHours): (readonly [string, string])[] {
  if (missing === null || missing === 0) return [];
  const text = `LOST: ${missing} of ${recorded} sensor hours whose readings retention has deleted. Restore them from a dump: grafana/runbooks.md, "When kept hours were lost"`;
  return [['kept hours', text]];
}

const providerColumns = (now: Date): Column<ProviderArrivals>[] => [
  ['provider', ({ id }) => id],
  ['online', ({ online }) => online],
  ['offline', ({ offline }) => offline],
  ['newest reading', ({ newest_reading }) => since(newest_reading, now)],
  ['quarantined', ({ quarantined }) => quarantined],
];

type Token = ProviderArrivals['tokens'][number] & { id: string };

const tokenColumns = (now: Date): Column<Token>[] => [
  ['pushed by', ({ id }) => id],
  ['token', ({ name }) => name],
  ['last used', ({ last_used_at }) => since(last_used_at, now)],
];

/** The fact that another room knows of a provider, with the provider's id. */
const rowsOf = (key: string) => (provider: ProviderArrivals) => {
  const found = (provider as Readonly<Record<string, unknown>>)[key];
  return found === null || found === undefined ? [] : [{ ...found, id: provider.id }];
};

const tableIfAny = <Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number) =>
  rows.length === 0 ? [] : [tableOf(rows, columns, width)];

/** The result as text. */
export function statusTable(
  {
    psql,
    engine,
    unused_engine: unused,
    time_zone,
    zone_rules,
    versions,
    freshness,
    kept_hours,
    remarks = [],
    providers,
  }: Status,
  now: Date,
  width = UNLIMITED,
  providerFacts: readonly ProviderFacts[] = [],
): string {
  const named = [
    `airseries ${versions.airseries}`,
    `node ${versions.node}`,
    ...versionsInWords(versions),
  ];
  const { differing_buckets: differing } = freshness;
  const summary = facts(
    [
      ['engine', `${engine}, ${time_zone}`],
      ...(unused === undefined ? [] : [['faster engine', unusedEngineInWords(unused)] as const]),
      ['versions', named.join(', ')],
      ...zoneFacts(zone_rules, now),
      ...(psql === undefined ? [] : [['database', psql] as const]),
      ['newest reading', ago(freshness.newest_reading, now)],
      ['aggregates refreshed', ago(freshness.refreshed_at, now)],
      ['newest digest', ago(freshness.digest_made_at, now)],
      [
        'last audit',
        `${ago(freshness.audited_at, now)}${differing ? `: ${differing} buckets differ` : ''}`,
      ],
      ...keptFacts(kept_hours),
      ...remarks.map((text) => ['settings', text] as const),
    ],
    width,
  );
  const tokens = providers.flatMap(({ id, tokens }) => tokens.map((token) => ({ id, ...token })));
  const shown = [
    ...tableIfAny(providers, providerColumns(now), width),
    ...providerFacts.flatMap(({ key, columns, remark }) => {
      const rows = providers.flatMap(rowsOf(key));
      const remarks = rows.flatMap((row) => {
        const said = remark?.(row) ?? null;
        return said === null ? [] : [[row.id, said] as const];
      });
      const below = remarks.length === 0 ? [] : [facts(remarks, width)];
      return [...tableIfAny(rows, columns(now), width), ...below];
    }),
    ...tableIfAny(tokens, tokenColumns(now), width),
  ];
  const none =
    shown.length === 0
      ? [wrapped(`There is no network yet: ${AIRSERIES} import network FILE.`, width, 0)]
      : [];
  return [summary, ...shown, ...none].join('\n\n');
}

async function sensorStatus({ as, clock }: Context, all: boolean): Promise<Outcome> {
  const now = clock();
  const { found, pairs, shifts } = await as('airseries_owner', async (sql) => ({
    found: await sensorArrivals(sql, now),
    shifts: await sql<ApiRow<'station_shift'>[]>`
      select * from api.station_shift(${now}) where is_clear order by station_id`,
    pairs: await sql<ApiRow<'sensor_pair'>[]>`
      select * from api.sensor_pair(${now}) order by meets_targets nulls last, rmse desc limit ${all ? null : MOST_SENSORS}`,
  }));
  const result = { ...(all ? found : mostUrgent(found, MOST_SENSORS)), pairs, shifts };
  return { result, ok: true, table: (width) => sensorTable(result, now, width) };
}

type Sensors = {
  /** How sensors that stand side by side agree. */
  pairs?: readonly ApiRow<'sensor_pair'>[];
  /** Stations whose hours fit their neighbours' clearly better when they are moved. */
  shifts?: readonly ApiRow<'station_shift'>[];
  sensors: readonly SensorArrivals[];
  unknown: readonly UnknownSender[];
  others?: OtherArrivals;
};

const verdictOf = (meetsTargets: boolean | null) => {
  if (meetsTargets === null) return 'unknown';
  return meetsTargets ? 'yes' : 'NO';
};

const sensorColumns = (now: Date): Column<SensorArrivals>[] => [
  ['sensor', ({ sensor }) => sensor],
  ['kind', ({ kind }) => kind],
  ['device', ({ device }) => device],
  ['station', ({ station }) => station],
  ['newest reading', ({ newest_reading }) => since(newest_reading, now)],
  ['oldest', ({ oldest_reading }) => oldest_reading?.slice(0, 10) ?? null],
  ['quarantined', ({ waiting }) => waiting],
];

const senderColumns = (now: Date): Column<UnknownSender>[] => [
  ['sensor', ({ sensor }) => sensor],
  ['device', ({ device }) => device],
  ['newest', ({ newest }) => since(newest, now)],
  ['quarantined', ({ waiting }) => waiting],
];

const PAIR_COLUMNS: Column<ApiRow<'sensor_pair'>>[] = [
  ['sensor', (pair) => `${pair.x_sensor_id} at ${pair.x_station_id}`],
  ['beside it', (pair) => `${pair.y_sensor_id} at ${pair.y_station_id}`],
  ['days', ({ days }) => days],
  ['slope', ({ slope }) => slope],
  ['intercept', ({ intercept }) => intercept],
  ['R²', ({ r2 }) => r2],
  ['RMSE', ({ rmse }) => rmse],
  ['as US EPA asks', ({ meets_targets }) => verdictOf(meets_targets)],
];

/** The result as text. */
export function sensorTable(
  { sensors, unknown, others, pairs = [], shifts = [] }: Sensors,
  now: Date,
  width = UNLIMITED,
): string {
  const said = (text: string) => wrapped(text, width, 0);
  const parts = [tableOf(sensors, sensorColumns(now), width)];
  if (others !== undefined) parts.push(...otherSensors(others).map(said));
  const reset = sensors.filter(({ has_gap }) => has_gap).map(({ sensor }) => sensor);
  if (reset.length > 0)
    parts.push(
      said(
        `Years without a reading follow the oldest of sensor ${reset.join(', ')}: a clock that was reset? Set EPOCH to refuse such times, or remove them with "delete readings".`,
      ),
    );
  if (unknown.length > 0) {
    parts.push('', 'Not in the network:', tableOf(unknown, senderColumns(now), width));
    if (others !== undefined && others.unknown > 0)
      parts.push(said(`and ${others.unknown} more: --all shows them`));
    parts.push(
      said('quarantine list --reason unknown_sensor says what to write in the network file.'),
    );
  }
  if (pairs.length > 0)
    parts.push(
      '',
      said('PM2.5 of sensors at one station or within 150 m, by the last 30 days:'),
      tableOf(pairs, PAIR_COLUMNS, width),
    );
  if (shifts.length > 0) parts.push('', ...shifts.map((shift) => said(shiftInWords(shift))));
  return parts.join('\n');
}

function shiftInWords(shift: ApiRow<'station_shift'>): string {
  const { station_id, parameter, hours, shift_hours, r, r_unshifted } = shift;
  const count = Math.abs(shift_hours ?? 0) === 1 ? 'one hour' : 'two hours';
  const moved = `${count} ${(shift_hours ?? 0) < 0 ? 'earlier' : 'later'}`;
  return `Station ${station_id} fits its neighbours best ${moved} (${parameter} of ${hours} hours: r ${r}, as it is ${r_unshifted}): stamps at the end, or the zone?`;
}

/** No line where all are shown. */
function otherSensors({ need_attention, fine }: OtherArrivals): string[] {
  const counts = [
    ...(need_attention === 0 ? [] : [`${need_attention} more that need attention`]),
    ...(fine === 0 ? [] : [`${fine} more that are fine`]),
  ];
  return counts.length === 0 ? [] : [`and ${counts.join(', and ')}: --all shows them`];
}
