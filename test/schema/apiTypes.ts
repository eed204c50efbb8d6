/**
 * Generates the text of src/database/generated/apiTypes.ts from the catalog of a migrated database,
 * formatted as Biome would.
 */
import { EU_LIMITS } from '../../src/contract/limits.ts';
import { keyOf } from '../../src/contract/parameters.ts';
import { WINDOWS } from '../../src/contract/windows.ts';
import type { Sql } from '../../src/database/client.ts';

/**
 * PostgreSQL's types as our driver returns them. A timestamptz is ISO 8601 text with the offset of
 * the session's zone.
 */
const TYPES: Readonly<Record<string, string>> = {
  int4: 'number',
  float8: 'number',
  text: 'string',
  bool: 'boolean',
  timestamptz: 'string',
  _int4: 'readonly number[]',
  _text: 'readonly string[]',
};

/** What is always known of the limits of the EU: not a mean, and not a change. */
const LIMITS = [
  'first_day',
  'expected_days',
  'expected_hours',
  ...EU_LIMITS.flatMap(({ parameter, period }) => {
    const key = keyOf(parameter);
    if (period === 'year') return [`${key}_mean_limit`, `${key}_mean_verdict`];
    const counted = `${key}_${period === 'hour' ? 'hours' : 'days'}`;
    const all = ['', '_above', '_limit', '_allowed', '_verdict'].map((end) => counted + end);
    return period === 'hour' ? all : [...all, `${key}_complete_days`];
  }),
];

/** The same columns of what there is of a station and of a region. */
const ofBoth = (name: string, columns: readonly string[]) => ({
  [`station_${name}`]: columns,
  [`region_${name}`]: columns,
});

/**
 * The columns that are never null. The catalog does not say so of views and functions, so every
 * other column is `| null`. The test looks for nulls in these.
 */
export const NEVER_NULL: Readonly<Record<string, readonly string[]>> = {
  provider: ['id', 'title', 'url', 'image', 'image_dark'],
  region: ['slug', 'kind', 'map_latitude', 'map_longitude', 'map_delta'],
  provider_title: ['provider_id', 'locale', 'title'],
  region_title: ['region_slug', 'locale', 'title'],
  station: ['id', 'provider', 'latitude', 'longitude'],
  station_title: ['station_id', 'locale', 'title'],
  station_flag: ['station_id', 'reason'],
  sensor: ['id', 'station_id', 'is_suspicious'],
  station_current: [
    'id',
    'provider',
    'status',
    'is_listed',
    'is_bad_thp',
    'title',
    'latitude',
    'longitude',
  ],
  region_current: [
    'slug',
    'kind',
    'title',
    'who_pm2.5_exceedance_days',
    'map_latitude',
    'map_longitude',
    'map_delta',
  ],
  station_hourly: ['timestamp', 'station_id'],
  station_daily: ['timestamp', 'station_id'],
  station_monthly: ['timestamp', 'station_id'],
  region_hourly: ['timestamp', 'region_slug'],
  region_daily: ['timestamp', 'region_slug'],
  region_monthly: ['timestamp', 'region_slug'],
  history_window: ['series', 'unit', 'since', 'until'],
  history_bounds: [
    'hours_since',
    'hours_until',
    'days_since',
    'days_until',
    'months_since',
    'months_until',
    ...WINDOWS.flatMap(({ key }) => [`since_${key}`, `until_${key}`]),
  ],
  ...ofBoth(
    'history_json',
    WINDOWS.map(({ key }) => key),
  ),
  ...ofBoth('history', ['series', 'timestamp']),
  ...ofBoth('now', ['nowcast_hours', 'valid_until']),
  station_last_hours: ['expected_hours', 'measured_hours'],
  ...ofBoth('days_json', ['days', 'valid_until']),
  ...ofBoth('months_json', ['months', 'valid_until']),
  ...ofBoth('completeness_json', ['days', 'months', 'valid_until']),
  station_gaps_json: ['gaps', 'valid_until'],
  ...ofBoth('limits', [...LIMITS, 'valid_until']),
  parameter_map_json: ['unit', 'hours', 'stations', 'regions', 'valid_until'],
  ...ofBoth('hours_csv', ['lines', 'valid_until']),
  station_readings_json: ['timestamp', 'sensors', 'kept', 'complete', 'valid_until'],
  changes_json: ['since', 'changes', 'valid_until'],
  ...ofBoth('changes_json', ['since', 'changes', 'valid_until']),
  ...ofBoth('warnings_json', ['index', 'since', 'warnings', 'valid_until']),
  installation: ['time_zone', 'epoch', 'engine', 'migrations'],
  provider_state: ['provider', 'online', 'offline'],
  newest_bucket: ['subject', 'resolution'],
  last_audit: ['made_at', 'differing'],
  quarantine_lines: ['reason', 'lines'],
  storage: ['schema', 'bytes'],
  station_offline: ['station_id', 'last_measurement_time', 'offline_minutes'],
  station_suspect: ['station_id', 'kind', 'tests', 'detail'],
};

/**
 * `kind` is a column of a view or function (t), an argument (i) or an argument with a default (d).
 */
type Item = {
  relation: string;
  is_function: boolean;
  kind: 't' | 'i' | 'd';
  name: string;
  type: string;
};

/**
 * The whole file. Throws on a type that is not in TYPES, and on a column of NEVER_NULL that does
 * not exist.
 */
export async function apiTypes(sql: Sql): Promise<string> {
  const items = await sql<Item[]>`
    select c.relname as relation, false as is_function, 't' as kind, a.attname as name, t.typname as type, a.attnum::int as position
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
    where c.relnamespace = 'api'::regnamespace and c.relkind = 'v'
    union all
    select p.proname, true, case when o.mode = 'i' and o.position > p.pronargs - p.pronargdefaults then 'd' else o.mode::text end, o.name,
      t.typname, o.position::int
    from pg_proc p
    cross join unnest(p.proallargtypes, p.proargmodes, p.proargnames) with ordinality as o(type, mode, name, position)
    join pg_type t on t.oid = o.type
    where p.pronamespace = 'api'::regnamespace and p.proretset
    order by is_function, relation, position`;
  const names = [...new Set(items.map(({ relation }) => relation))];
  const relations = new Map(
    names.map((name) => [name, items.filter(({ relation }) => relation === name)]),
  );
  for (const [relation, columns] of Object.entries(NEVER_NULL)) {
    const existing = relations.get(relation)?.map(({ name }) => name) ?? [];
    const absent = columns.filter((column) => !existing.includes(column));
    if (absent.length > 0)
      throw new Error(`api.${relation} has no column ${absent.join(', ')} (NEVER_NULL)`);
  }
  const written = [...relations].map(([name, all]) =>
    all[0]?.is_function ? functionType(name, all) : rowType(`  'api.${name}': `, all),
  );
  return `${HEADER}
export type ApiViews = {
${written.filter((text) => text.startsWith("  'api.")).join('')}};

/** The functions that return rows: their arguments by name, and a row. */
export type ApiFunctions = {
${written.filter((text) => !text.startsWith("  'api.")).join('')}};
`;
}

const HEADER = `/**
 * The views and functions of schema api as Kysely sees them. Generated from the catalog by \`npm run generate\`; do not edit.
 * A column is nullable unless test/schema/apiTypes.ts lists it as never null.
 */
`;

function functionType(name: string, items: readonly Item[]): string {
  const args = items.filter(({ kind }) => kind !== 't').map(argument);
  const argumentsType = objectType('    arguments: ', args);
  const row = rowType(
    '    row: ',
    items.filter(({ kind }) => kind === 't'),
  );
  return `  ${name}: {\n${argumentsType}${row}  };\n`;
}

function argument({ kind, name, type }: Item): string {
  return `${name}${kind === 'd' ? '?' : ''}: ${type === 'timestamptz' ? 'Date | string' : typeOf(name, type)}`;
}

const WIDTH = 100;

function rowType(key: string, columns: readonly Item[]): string {
  const properties = columns.map(({ relation, name, type }) => {
    const isNullable = !NEVER_NULL[relation]?.includes(name);
    return `${/^[a-z_]\w*$/.test(name) ? name : `'${name}'`}: ${typeOf(name, type)}${isNullable ? ' | null' : ''}`;
  });
  return objectType(key, properties);
}

/** An object type, on one line if it fits. */
function objectType(key: string, properties: readonly string[]): string {
  const line = `${key}{ ${properties.join('; ')} };\n`;
  if (line.length <= WIDTH + 1) return line;
  const indent = ' '.repeat(key.search(/\S/));
  return `${key}{\n${properties.map((property) => `${indent}  ${property};\n`).join('')}${indent}};\n`;
}

function typeOf(name: string, type: string): string {
  const found = TYPES[type];
  if (found === undefined)
    throw new Error(`${name} is of type ${type}: schema api has ${Object.keys(TYPES)} only`);
  return found;
}
