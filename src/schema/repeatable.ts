/**
 * The repeatable SQL: schemas logic (with the engine's refresh and the oracle) and api. They hold
 * no data, and are replaced together whenever any of their text changed, so an upgraded database is
 * the same as a new one.
 */
import type { z } from 'zod';
import { withHours } from '../contract/explore/record.ts';
import { regionDay, regionHour, stationDay, stationHour } from '../contract/history.ts';
import { READING_COLUMNS } from '../contract/parameters.ts';
import {
  type Calendar,
  type Engine,
  LEVELS,
  type Level,
  recomputeSql,
  wordsOf,
} from './aggregates.ts';
import { buildOracle, type Columns } from './oracle.ts';
import { type Definitions, listSql, readSql, render, type Words } from './template.ts';

const SUBJECTS: readonly Words[] = [
  {
    subject: 'station',
    key: 'id',
    id: 'station_id',
    id_type: 'int',
    id_meaning: 'station id',
    sources: 'sensor_count',
    sources_unit: 'sensors',
    hour_point: pointOf(stationHour),
    day_point: pointOf(stationDay),
    day_point_with_hours: pointOf(withHours(stationDay)),
    hour_line: lineOf('station_id', stationHour),
    is_suspect_hour: `exists (select from logic.flag f where f.station_id = h.station_id and f.kind = 'pm'
      and f.since < h.bucket + interval '1 hour' and h.bucket < f.until)`,
    is_changed: 'c.region_slug is null and c.station_id = only_station',
    changes_meaning:
      'its own, and those that concern all; of a flag and screening its own numbers stay',
    causes: `'sensors', coalesce(d.sensors, '{}')`,
    causes_meaning: 'sensors (that were moved or got another formula)',
    city_slug: 'null::text',
    is_hidden: `exists (select from raw.hidden_period p
      where p.station_id = s.id and p.since <= at and at < p.until)`,
  },
  {
    subject: 'region',
    key: 'slug',
    id: 'region_slug',
    id_type: 'text',
    id_meaning: 'slug of the city or district',
    sources: 'station_count',
    sources_unit: 'stations',
    hour_point: pointOf(regionHour),
    day_point: pointOf(regionDay),
    day_point_with_hours: pointOf(withHours(regionDay)),
    hour_line: lineOf('region_slug', regionHour),
    is_suspect_hour: 'false', // memberships leave such hours out
    is_changed: 'c.region_slug = only_region or c.regions @> array[only_region]',
    changes_meaning:
      'its own, those of stations in the hours that belonged to it then, and those that concern all',
    causes: `'stations', case when not d.is_all then coalesce(d.stations[1:most], '{}') end,
        'station_count', case when not d.is_all then coalesce(cardinality(d.stations), 0) end`,
    causes_meaning:
      'stations (at most `most` ids of listed stations that were the cause; null: all), station_count (how many they are; null: all [stations])',
    city_slug: 's.city_slug',
    is_hidden: 'false',
  },
];
const RESOLUTIONS = ['daily', 'monthly'];

/**
 * Settings for a function that reads years of one station or region, or hours of many sensors, one
 * after the other. Its ranges of time are short, so the planner might choose an index on time and
 * discard the rows of all others. To prevent that, rows cost more than pages here. At that cost the
 * planner would also start parallel workers, which take ten times as long as all the rest, and
 * compile (jit), which takes seconds. A BRIN index on time would need none of this, but finding the
 * newest bucket in it takes 405 ms instead of 0.4 (4 million hours on plain PostgreSQL 18).
 */
const INDEX_SEEKS =
  'set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off';

/**
 * With TimescaleDB the planner has already chosen the chunks by then; looking at them again at every
 * seek would take two thirds of the time.
 */
const SEEK_SETTINGS: Readonly<Record<Engine, string>> = {
  plain: INDEX_SEEKS,
  timescale: `${INDEX_SEEKS}\nset timescaledb.enable_runtime_exclusion = off`,
};

/** The unrounded means of a bucket `h` of a sensor, station or region, as JSON text. */
const EXACT_MEANS = `concat('{"timestamp":', to_json(h.bucket),
  {{list mean: ',"$key":', coalesce(logic.possible(h.$name)::text, 'null')}},
  ',"wind_sin":', coalesce(logic.possible(h.wind_sin)::text, 'null'),
  ',"wind_cos":', coalesce(logic.possible(h.wind_cos)::text, 'null'),
  ',"rain":', coalesce(logic.possible(h.rain)::text, 'null'), '}')`;

/** The number of hours behind each mean of a bucket `h`, as JSON. */
const HOURS_OF_MEANS = `concat('{', {{list mean: '"$key":', h.$name_hours, ','}},
  '"wind_sin":', h.wind_hours, ',"wind_cos":', h.wind_hours, '}')::json`;

function wordsOfLogic(engine: Engine, calendar: Calendar): Words {
  return {
    ...wordsOf(calendar),
    seek_settings: SEEK_SETTINGS[engine],
    ...Object.fromEntries(
      READING_COLUMNS.map(({ name }, index) => [`${name}_bit`, String(2 ** index)]),
    ),
    station_hour_point: pointOf(stationHour),
    region_hour_point: pointOf(regionHour),
    exact_means: EXACT_MEANS,
    hours_of_means: HOURS_OF_MEANS,
    levels: LEVELS.map(levelRow).join(',\n  '),
  };
}

/**
 * All of it in order. A file with `{{subject}}` is rendered for stations and regions, one with
 * `{{resolution}}` for days and months.
 */
export function repeatableSql(
  definitions: Definitions,
  engine: Engine,
  calendar: Calendar,
  columns: Columns,
): string {
  const words = wordsOfLogic(engine, calendar);
  const all = (folder: string) =>
    listSql(definitions, folder).flatMap((file) =>
      renderings(readSql(definitions, `${folder}/${file}`), definitions, words),
    );
  return [
    RESET_SCHEMAS,
    render(readSql(definitions, `engines/${engine}/storage.sql`), definitions, words),
    ...all('logic'),
    recomputeSql(definitions, engine, wordsOf(calendar)),
    buildOracle(definitions, calendar, columns),
    ...all('api'),
    ...definitions.extras.flatMap((name) => all(`extras/${name}`)),
    render(readSql(definitions, 'grants.sql'), definitions, words),
    // fails if the drop cascaded to an aggregate
    `select ${LEVELS.map(({ name }) => `'rollup.${name}'::regclass`).join(', ')};`,
  ].join('\n');
}

/**
 * Renames both schemas to logic_old and api_old, and creates them empty, with the default
 * privileges that an operator may have given them. Building the new ones takes about a second;
 * meanwhile other sessions' statements use the old ones, because renaming locks nothing that they
 * need.
 */
const RESET_SCHEMAS = `do $$
declare
  name text;
  statement text;
begin
  foreach name in array array['logic', 'api'] loop
    if to_regnamespace(name) is not null then
      execute format('alter schema %I rename to %I', name, name || '_old');
    end if;
    execute format('create schema %I', name);
    for statement in
      select format('alter default privileges in schema %I grant %s on %s to %s', name, a.privilege_type,
        case d.defaclobjtype when 'f' then 'routines' when 'T' then 'types' when 'S' then 'sequences' else 'tables' end,
        case when a.grantee = 0 then 'public' else a.grantee::regrole::text end)
      from pg_default_acl d, aclexplode(d.defaclacl) a
      where d.defaclnamespace = to_regnamespace(name || '_old') and d.defaclrole = 'airseries_owner'::regrole
    loop
      execute statement;
    end loop;
  end loop;
end $$;
revoke all on schema logic, api from public;`;

/**
 * A row of view logic.level: a change of a sensor reaches its station and its regions, one of a
 * station its regions, and days that wait for their refresh reach all days and months.
 */
function levelRow({ name, unit, id }: Level, index: number): string {
  const subjects = ['sensor', 'station', 'region'];
  const reach = subjects.slice(0, subjects.indexOf(name.split('_')[0] as string) + 1);
  const staleFrom = reach.map((subject) => `${subject}_hourly`);
  if (unit !== 'hour') staleFrom.push('station_daily');
  return `(${index + 1}, '${name}', '${unit}', '${id}', '{${staleFrom}}'::text[])`;
}

/**
 * SQL for a point of a history document as JSON text, from the columns of bucket b, in the order of
 * the contract. A key is a column's name; a range is a pair of two columns, null if either is. One
 * call of concat() with every key and value was 12 % faster (1.88 ms instead of 2.10 for a history,
 * 2.28.3), and could not be read.
 */
function pointOf({ shape }: z.ZodObject): string {
  const columns = Object.keys(shape).map(columnOf).join(', ');
  return `(select row_to_json(point) from (select ${columns}) point)::text`;
}

function columnOf(key: string): string {
  if (!key.startsWith('range_')) return `b.${key}`;
  const [min, max] = [key.replace('range', 'b.min'), key.replace('range', 'b.max')];
  return `case when ${min} is not null and ${max} is not null then array[${min}, ${max}] end as ${key}`;
}

/**
 * SQL for an hour as a line of CSV (`hoursHeader` in the contract), likewise. None of its values
 * needs quotes.
 */
function lineOf(id: string, { shape }: z.ZodObject): string {
  const fields = Object.keys(shape).map((key) =>
    key === 'timestamp' ? "to_json(b.timestamp) #>> '{}'" : `b.${key}`,
  );
  return `concat(${[`b.${id}`, ...fields].join(", ',', ")}, e'\\n')`;
}

/** A template rendered for each of its subjects and resolutions. */
function renderings(template: string, definitions: Definitions, words: Words): string[] {
  const subjects = template.includes('{{subject}}') ? SUBJECTS : [{}];
  const resolutions = template.includes('{{resolution}}') ? RESOLUTIONS : [''];
  return subjects.flatMap((subject) =>
    resolutions.map((resolution) =>
      render(template, definitions, { ...words, ...subject, resolution }),
    ),
  );
}
