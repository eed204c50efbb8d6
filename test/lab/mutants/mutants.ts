/**
 * The mutants: in which file what is replaced by what, and the tests that touch it. None
 * survives: of a change that nobody can see, the code is simplified, or the change leaves the table.
 */
import { existsSync, readFileSync } from 'node:fs';
import type { Engine } from '../../../src/schema/aggregates.ts';

export type Mutant = { file: string; replace: string; by: string };
export type Group = {
  tests: readonly string[];
  engine?: Engine;
  build?: boolean;
  mutants: readonly Mutant[];
};

type Change = readonly [replace: string, by: string];
type Table = Omit<Group, 'mutants'> & { changes: Readonly<Record<string, readonly Change[]>> };

const TABLE: readonly Table[] = [
  {
    tests: ['test/aggregate/jobs.test.ts'],
    changes: {
      'src/aggregate/jobs.ts': [
        [
          "    { name: 'refresh', schedule: '* * * * *', run: () => refreshAggregates(context) },\n",
          '',
        ],
        [
          '      run: async () => void (await makeDigest(target, clock())),',
          '      run: async () => undefined,',
        ],
        [
          "    { name: 'screen', schedule: '4-59/10 * * * *', run: () => screenStations(context) },\n",
          '',
        ],
        [
          "    { name: 'trim_quarantine', schedule: '7-59/10 * * * *', run: () => trimQuarantines(context) },\n",
          '',
        ],
        [
          "    { name: 'maintain', schedule: '17 0 * * *', run: () => maintainStorage(context) },\n",
          '',
        ],
        [
          "    { name: 'audit', schedule: '41 1 * * *', run: () => auditAggregates(context) },\n",
          '',
        ],
        ['{ lazily: true }', '{}'],
        ['  await deleteOldDigests(target, clock());\n', ''],
        ['AUDITED_DAYS * 86_400_000', 'AUDITED_DAYS * 86_400'],
        ['if (foundCount === 0) return;', 'return;'],
      ],
    },
  },
  {
    tests: [
      'test/aggregate/schedule.test.ts',
      'test/extras/demo/wiring.test.ts',
      'test/aggregate/claims.test.ts',
    ],
    changes: {
      'src/aggregate/jobs.ts': [
        ["'4-59/10 * * * *'", "'5-59/10 * * * *'"],
        ["'17 0 * * *'", "'17 1 * * *'"],
        ["'*/5 * * * *'", "'*/6 * * * *'"],
      ],
      'src/aggregate/schedule.ts': [
        ['if (running.has(job.name)) {', 'if (false) {'],
        ["timezone: 'UTC'", "timezone: 'Asia/Yerevan'"],
        ['  await makeDigest(target, clock());\n', ''],
        ['    await Promise.all(running.values());\n', ''],
        ['    await destroy(); // they wait for a time by the old clock\n', ''],
        ['    if (minute === undefined) {', '    if (false) {'],
        ['    observer.onFailed(job, clock());\n', ''],
        ['    if (!isStopping) tasks = schedule();', '    tasks = schedule();'],
      ],
      'src/aggregate/claims.ts': [
        [' where last.minute <> excluded.minute', ''],
        ["date_trunc('minute', clock_timestamp() + interval '30 seconds')", 'clock_timestamp()'],
        ['last.minute <> excluded.minute', 'last.minute < excluded.minute'],
      ],
    },
  },
  {
    tests: ['test/network/stationShift.test.ts'],
    changes: {
      'sql/logic/63_station_shifts.sql': [
        ['where apart.km <= 10', 'where apart.km <= 1000'],
        ['m.n = h.n + h.shift', 'm.n = h.n - h.shift'],
        ['fit.least_hours >= 200', 'fit.least_hours >= 100'],
        ['order by fit.station_id, fit.parameter desc', 'order by fit.station_id, fit.parameter'],
        ['beside.left_over < b.left_over', 'false'],
        ['then sum(h.temperature) / 2 end', 'then null end'],
        ['case when thp.periods @> h.bucket then null else', 'case when false then null else'],
        ['case when pm.periods @> h.bucket then null else', 'case when false then null else'],
        ['array[only_station]) n) end;', 'array[only_station]) n where false) end;'],
      ],
    },
  },
  {
    tests: ['test/aggregate/rules.test.ts'],
    changes: {
      'sql/rollups/sensor_hourly.sql': [
        ['sum(rain::float8) as rain', 'avg(rain::float8) as rain'],
        ['avg(sind(wind_direction::float8))', 'avg(cosd(wind_direction::float8))'],
        [' filter (where wind_speed is distinct from 0) as wind_cos', ' as wind_cos'],
        [
          'filter (where wind_speed is distinct from 0) as wind_sin',
          'filter (where wind_speed <> 0) as wind_sin',
        ],
      ],
      'sql/rollups/station_hourly.sql': [
        ['s.bucket >= p.since and', 's.bucket > p.since and'],
        ["s.bucket + interval '1 hour' <= p.until", 's.bucket < p.until'],
        ['avg(s.rain) as rain', 'sum(s.rain) as rain'],
        ['avg(s.pm10)) as aqi', 'max(s.pm10)) as aqi'],
      ],
      'sql/rollups/region_hourly.sql': [
        ['h.bucket >= m.since', 'h.bucket > m.since'],
        ['h.bucket < m.until', 'h.bucket <= m.until'],
        ['avg(h.$name) filter (where not m.is_flagged)', 'avg(h.$name)'],
        ['pm: avg(h.$name) filter (where not m.is_pm_suspect)', 'pm: avg(h.$name)'],
        ['avg(h.pm25) filter (where not m.is_pm_suspect)', 'avg(h.pm25)'],
        ['avg(h.pm10) filter (where not m.is_pm_suspect)', 'avg(h.pm10)'],
      ],
      'sql/rollups/daily.sql': [
        ['count(h.wind_sin)::int as wind_hours', 'count(*)::int as wind_hours'],
        ['max(h.aqi) as max_aqi', 'min(h.aqi) as max_aqi'],
        ['count(h.$name)::int as $name_hours', 'count(*)::int as $name_hours'],
      ],
      'sql/rollups/monthly.sql': [
        ['sum(d.$name * d.$name_hours) / nullif(sum(d.$name_hours), 0)', 'avg(d.$name)'],
        ['sum(d.{{sources}} * d.hours) / sum(d.hours)', 'avg(d.{{sources}})'],
        ['sum(d.wind_sin * d.wind_hours) / nullif(sum(d.wind_hours), 0)', 'avg(d.wind_sin)'],
      ],
    },
  },
  {
    tests: ['test/schema/arithmetic.test.ts', 'test/aggregate/corrections.test.ts'],
    changes: {
      'sql/rollups/functions.sql': [
        ['when fine <= 90 then', 'when fine < 90 then'],
        ['when coarse <= 154 then', 'when coarse < 154 then'],
        ['return greatest(0,', 'return greatest(-1,'],
        ['(pm25_raw - 210) / 50', '(pm25_raw - 210) / 40'],
        ['(pm25_raw - 30) / 20', '(pm25_raw - 30) / 10'],
      ],
      'sql/logic/70_current.sql': [['      select lower(part)\n', '      select p.since\n']],
      'sql/logic/05_published_values.sql': [
        ['when value > -1e9 and value <= 0 then 0', 'when value > -1e9 and value < -1 then 0'],
        ['case when abs(value) < 1e9 then value end', 'case when abs(value) <= 1e9 then value end'],
        ['::numeric)::int % 360', '::numeric)::int'],
        ['<= 1e-9 * greatest(1, abs(a), abs(b))', '<= 1e-9 * greatest(abs(a), abs(b))'],
      ],
      'sql/rollups/station_hourly.sql': [
        ['else coalesce(s.pm25_raw, s.pm25) end', 'else coalesce(s.pm25, s.pm25_raw) end'],
      ],
      'src/schema/aggregates.ts': [
        ['sum(coalesce(s.pm25, s.pm25_raw))', 'sum(coalesce(s.pm25_raw, s.pm25))'],
        [
          "coalesce(avg(s.humidity) filter (where p.formula = '$name'), avg(s.humidity))",
          'avg(s.humidity)',
        ],
      ],
      'sql/api/20_station_current.sql': [['::int % 16 + 1]', '::int % 15 + 1]']],
    },
  },
  {
    tests: ['test/aggregate/changeLog.test.ts', 'test/aggregate/backlog.test.ts'],
    changes: {
      'sql/logic/30_stale.sql': [
        ["rollup.bucket_add('hour', rollup.bucket_start('hour', high), 1)", 'high'],
        [
          's.from_level = any ((level).stale_from)\n            and tstzrange(s.since, s.until) && tstzrange(rollup',
          'tstzrange(s.since, s.until) && tstzrange(rollup',
        ],
        ['order by since desc limit days', 'order by since limit days'],
      ],
      'sql/logic/31_refresh.sql': [
        [
          "between interval '0' and interval '10 minutes'",
          "between interval '0' and interval '1 minute'",
        ],
        ['      and (running_since is null or running_since = today)\n', ''],
        ['      delete from rollup.stale s where s.is_taken and s.since >= lower(piece);\n', ''],
        ["select 'station_daily', since,", "select 'region_hourly', since,"],
        ['          buckets := buckets - tstzmultirange(logic.bucket(level.unit, now));\n', ''],
        ["    tstzrange(today, 'infinity'),\n    logic.newest_days(", '    logic.newest_days('],
        [' where refreshed_at is not null;', ';'],
        ['completed_at = refresh_step.now;', 'completed_at = completed_at;'],
      ],
      'src/schema/aggregates.ts': [
        ['where bucket >= $2 and bucket < $3;', 'where bucket > $2 and bucket < $3;'],
      ],
      'src/schema/repeatable.ts': [
        [
          "subjects.indexOf(name.split('_')[0] as string) + 1)",
          "subjects.indexOf(name.split('_')[0] as string))",
        ],
      ],
      'sql/logic/10_ranges.sql': [['upper(part) - gap)', 'upper(part))']],
    },
  },
  {
    tests: ['test/aggregate/audit.test.ts'],
    changes: {
      'sql/logic/10_ranges.sql': [['least(upper(whole), piece.next)', 'piece.next']],
    },
  },
  {
    tests: ['test/aggregate/keptHours.test.ts'],
    changes: {
      'sql/logic/35_retention.sql': [
        ["set timezone = 'UTC' ", ''],
        ['set extra_float_digits = 1 ', ''],
        ['there.stored <> m.hours or ', ''],
        ['  if until <= since then return; end if;\n', ''],
        ['m.checksum is distinct from', 'null is distinct from'],
      ],
      'src/aggregate/audit.ts': [
        ["      where not 'lost' = any (d.columns)\n", ''],
        [
          '      where not exists (select from lost_month m where d.bucket >= m.since and d.bucket < m.until)\n',
          '      where true\n',
        ],
      ],
    },
  },
  {
    tests: ['test/aggregate/retention.test.ts', 'test/aggregate/engines.test.ts'],
    changes: {
      'sql/logic/35_retention.sql': [
        [
          'coalesce(greatest(cutoff, rollup.bucket_start',
          'coalesce(least(cutoff, rollup.bucket_start',
        ],
        ['if cutoff < earliest then', 'if false then'],
        ['(select least(at, max(r.measured_at))', '(select least(at, at)'],
        ['(select least(at, max(r.measured_at))', '(select max(r.measured_at)'],
        [
          "rollup.bucket_start('month', first_reading), 1));",
          "rollup.bucket_start('month', first_reading), 2));",
        ],
        ['r.measured_at >= retained_from);', 'true);'],
        ['if cutoff > installation.ingest_cutoff then', 'if false then'],
      ],
      'sql/engines/plain/storage.sql': [
        [
          "least(rollup.bucket_add('day', rollup.bucket_start('day', oldest), 1), expired)",
          "rollup.bucket_add('day', rollup.bucket_start('day', oldest), 1)",
        ],
      ],
      'src/aggregate/retention.ts': [['await refreshOn(sql, clock);', '']],
      'src/aggregate/jobs.ts': [
        [
          '  if (retention !== undefined) await deleteExpired(',
          '  if (false) await deleteExpired(',
        ],
      ],
    },
  },
  {
    tests: ['test/network/importNetwork.test.ts', 'test/network/wholeNetwork.test.ts'],
    changes: {
      'sql/logic/10_ranges.sql': [['= at then at else', 'is null then at else']],
      'sql/logic/20_placements.sql': [
        [
          'range_agg(tstzrange(logic.hour_ceiling(since), logic.hour_ceiling(until))) as periods\n    from raw.hidden_period',
          'range_agg(tstzrange(since, until)) as periods\n    from raw.hidden_period',
        ],
        [
          "located.periods * formula.periods - coalesce(suspicious.periods, '{}')",
          'located.periods * formula.periods',
        ],
        ["\n    - coalesce(removed.periods, '{}')) part;", ') part;'],
        [
          "'{[-infinity,infinity)}'::tstzmultirange - coalesce(of_sensor.periods, '{}')",
          "'{[-infinity,infinity)}'::tstzmultirange",
        ],
      ],
      'sql/logic/35_retention.sql': [
        [
          'where h.sensor_id = sensor and h.bucket < i.retained_from and not exists',
          'where h.sensor_id = sensor and not exists',
        ],
        ['and p.until > h.bucket)', 'and false)'],
        ["least(l.until, max(hour) + interval '1 hour') as until", 'l.until'],
      ],
      'src/network/removeElement.ts': [
        ['    await transaction`select logic.pause_refresh()`;\n', ''],
        ['  await removeKeptHours(sql, { sensors: [], station: id }, removed);\n', ''],
      ],
      'sql/logic/50_network.sql': [
        ['where is_listed and old <> facts', 'where is_listed and old is not null'],
        [
          '(select s from rollup.stale s except select unnest(stale_before))',
          '(select s from rollup.stale s)',
        ],
      ],
    },
  },
  {
    tests: [
      'test/ingest/store',
      'test/ingest/http/readings.test.ts',
      'test/ingest/wholeSource.test.ts',
    ],
    changes: {
      'sql/logic/40_ingest.sql': [
        ['< cutoff then', '<= cutoff then'],
        ['< rollup.origin() then', '<= rollup.origin() then'],
        [
          'then coalesce(stored.$name, excluded.$name) else coalesce(excluded.$name, stored.$name) end}}',
          'then coalesce(stored.$name, excluded.$name) else excluded.$name end}}',
        ],
        ['case when only_new or b.empty = 0 then 0', 'case when b.empty = 0 then 0'],
        ['  if emptied_sensors is not null then', '  if false then'],
        ["upper(part) - interval '7 days' as until", "upper(part) - interval '8 days' as until"],
        ['      and num_nonnulls({{list reading: r.$name}}) = 0;', ';'],
        ['b.changes or b.withdraws <> 0 as is_changed', 'b.changes as is_changed'],
        ['(together.is_replaced and not only_new\n', '(false\n'],
        ['or g.$name is not null and g.$name <> t.$name', 'or g.$name is not null'],
        ['filter (where g.ordinal = g.last_$name) as $name', 'as $name'],
        ['bit_or(g.empty) & ~bit_or(g.unusable) as empty', 'bit_or(g.empty) as empty'],
        ['xmax = 0 as is_inserted', 'false as is_inserted'],
        ['  lock table raw.ingest_lock in row exclusive mode; -- see raise_ingest_cutoff\n', ''],
        [
          '    order by c.sensor_id, c.measured_at -- in the same order everywhere, or two writers could deadlock\n',
          '',
        ],
        [
          "where c.is_changed and counts_late and c.measured_at < rollup.bucket_start('hour', now))",
          'where c.is_changed and counts_late and c.measured_at <= now)',
        ],
        [
          'c.measured_at >= p.since and c.measured_at < p.until',
          'c.measured_at >= p.since and c.measured_at <= p.until',
        ],
        [
          'coalesce(of_sensor.own_then, of_sensor.own_ever, false)',
          'coalesce(of_sensor.own_ever, of_sensor.own_then, false)',
        ],
        ['and (stations is null or st.id = any (stations)) as is_own', 'as is_own'],
        [
          '  perform logic.derive_rain(array[sensor]',
          '  -- perform logic.derive_rain(array[sensor]',
        ],
        ['order by g.sensor_id for update;\n  return', 'order by g.sensor_id;\n  return'],
        ["at + interval '24 hours', '[]'", "at, '[]'"],
        [
          'logic.given_rain(r.rain, r.rain_total, r.rain_given) as known_rain\n',
          'r.rain as known_rain\n',
        ],
        [
          'rain_given = case when excluded.rain is null and excluded.rain_total is null then stored.rain_given end',
          'rain_given = stored.rain_given',
        ],
        ['then d.amount end, d.rain_given)', 'then d.amount end, null)'],
        ['then t.total_before else 0 end', 'then t.total_before else t.total_before end'],
        [
          "before >= c.measured_at - interval '24 hours'",
          "before >= c.measured_at - interval '25 hours'",
        ],
      ],
    },
  },
  {
    tests: ['test/ingest/store/imports.test.ts', 'test/ingest/store/undo.test.ts'],
    changes: {
      'sql/logic/43_undo.sql': [
        [
          'case when u.$name_after is not distinct from r.$name then u.$name_before end as $name',
          'u.$name_before as $name',
        ],
        ['and u.$name_after = r.$name then $bit', 'then $bit'],
        ['and (i.imported_at < before or', 'and (i.imported_at <= before or'],
      ],
    },
  },
  {
    tests: ['test/ingest/quarantine'],
    changes: {
      'sql/logic/41_quarantine.sql': [
        ['where m.bytes_so_far <= room', 'where true'],
        ['then 2000 else 65536 end', 'then 65536 else 65536 end'],
        ["|| ' …' || md5(text) end", 'end'],
        [
          'left_out = load.left_out + quarantine_staged.left_out',
          'left_out = quarantine_staged.left_out',
        ],
        ["where row.reason is null or row.reason = 'no_value'", 'where row.reason is null'],
        ['surplus = dropped.surplus + excluded.surplus', 'surplus = excluded.surplus'],
      ],
    },
  },
  {
    tests: ['test/network/screening.test.ts'],
    changes: {
      'sql/logic/60_screening.sql': [
        [
          "case when h.humidity >= 99.5 then 'saturated' end",
          "case when h.humidity > 99.5 then 'saturated' end",
        ],
        ['having count(*) >= hours', 'having count(*) > hours'],
        ['having bool_or(q.is_zero)', 'having false'],
        [
          'where h.sensor_id = any (sensors) and h.bucket >= implausible_periods.since and h.bucket < closed',
          'where h.sensor_id = any (sensors) and h.bucket >= implausible_periods.since',
        ],
        [
          'delete from raw.screened_period p using unnest(recorded) o',
          'delete from raw.screened_period p using unnest(recorded[1:0]) o',
        ],
        ['least(r.next, placed.until, suspicious.since),', 'least(r.next, placed.until),'],
        ['lowest_humidity >= 99.5) >= 14', 'lowest_humidity >= 99.5) >= 30'],
      ],
      'sql/logic/20_placements.sql': [
        ["case p.kind when 'thp' then s.screening else", "case p.kind when 'thp' then true else"],
      ],
    },
  },
  {
    tests: ['test/network/suspect'],
    changes: {
      'sql/logic/61_suspect_particles.sql': [
        ['max(h.pm25) - min(h.pm25) > 5 and', 'max(h.pm25) - min(h.pm25) > 15 and'],
        ['> 0.7 * avg(h.pm25)', '> 0.9 * avg(h.pm25)'],
        ['> 0.4 * avg(h.day)', '> 0.41 * avg(h.day)'],
        ['max(h.day) - min(h.day) > 3 and', 'max(h.day) - min(h.day) > 2 and'],
        ['count(*) over day >= 18', 'count(*) over day >= 12'],
        [
          "range between interval '23 hours' preceding",
          "range between interval '24 hours' preceding",
        ],
        ["first timestamptz := since - interval '23 hours'", 'first timestamptz := since'],
        ["first := since - interval '47 hours'", "first := since - interval '23 hours'"],
        ["min(o.since) - interval '47 hours'", 'min(o.since)'],
        ["coalesce(k.kind, '') as kind", "'' as kind"],
        ["coalesce(k.kind, '') as kind", 'coalesce(k.kind, k.id::text) as kind'],
        ['or h.kind = any (d.kinds) and h.day', 'or h.day'],
        ['h.both_hours >= 12 or', 'h.both_hours >= 13 or'],
        ['or h.pm25_hours >= 24', 'or h.pm25_hours >= 23'],
        ['case when h.pm25 < 0 then 24 else 48 end', 'case when h.pm25 <= 0 then 24 else 48 end'],
        ['case when h.pm25 < 0 then 24 else 48 end', 'case when h.pm25 < 0 then 25 else 48 end'],
        ['case when h.pm25 < 0 then 24 else 48 end', 'case when h.pm25 < 0 then 24 else 47 end'],
        ['case when h.pm25 < 0 then 24 else 48 end', '48'],
        ["bucket - lag(bucket) over hours = interval '1 hour' and", ''],
        ['where is_same or is_repeated', 'where is_same'],
        ['case when h.pm25 > 0.5 then', 'case when h.pm25 >= 0.5 then'],
        ['coalesce(p.periods @> h.bucket, false) is false as is_neighbour', 'true as is_neighbour'],
        ['h.pm25 > 30 and not s.trusted', 'h.pm25 > 29 and not s.trusted'],
        ['h.pm25 > 30 and not s.trusted', 'h.pm25 > 30'],
        ['<= 10\n', '<= 100\n'],
        ['having count(*) >= 3', 'having count(*) >= 2'],
        ['pair.pm25 > 3 * percentile_cont', 'pair.pm25 >= 3 * percentile_cont'],
        ['h.pm25 > 3 * around.lowest', 'h.pm25 > 8 * around.lowest'],
        ['other_pm25 >= pair.pm25 / 2', 'other_pm25 > pair.pm25 / 2'],
        ['other_pm25 >= pair.pm25 / 2) <= 1', 'other_pm25 >= pair.pm25 / 2) <= 2'],
        ['other_pm25 >= pair.pm25 / 2) <= 1', 'other_pm25 >= pair.pm25 / 2) < 1'],
        [
          "order by bucket) > interval '25 hours', true)",
          "order by bucket) > interval '25 hours', false)",
        ],
        [
          "order by bucket) > interval '25 hours', true)",
          "order by bucket) > interval '26 hours', true)",
        ],
        ['      union all select a.station_id, a.since, a.until from unnest(alone) a\n', ''],
        [
          "over (partition by station_id, reason order by since) > interval '24 hours'",
          "over (partition by station_id, reason order by since) > interval '25 hours'",
        ],
        ['having count(hour) >= 6', 'having count(hour) >= 5'],
        ["closed - f.until < interval '24 hours'", "closed - f.until <= interval '24 hours'"],
        ['count(hour) < 24', 'count(hour) < 23'],
        [
          "p.until < 'infinity' and p.since < periods_of_hours.since",
          'p.since < periods_of_hours.since',
        ],
        ['coalesce(p.evidence, f.evidence)', 'f.evidence'],
        ["where p.until = 'infinity' and p.since < suspect_periods.since", 'where false'],
        ["p.kind = 'pm' and p.reason <> 'outlier' and not exists", 'false and not exists'],
      ],
      'sql/logic/62_sensor_pairs.sql': [
        ['<= 0.15', '<= 0.2'],
        ['having count(*) >= 18', 'having count(*) >= 8'],
        ["rollup.bucket_add('day', last_day, -30)", "rollup.bucket_add('day', last_day, -31)"],
        [
          '(x.trusted, y.sensor_id) > (y.trusted, x.sensor_id)',
          '(y.trusted, y.sensor_id) > (x.trusted, x.sensor_id)',
        ],
      ],
      'sql/logic/60_screening.sql': [
        ["case p.kind when 'pm' then interval '24 hours' else interval '0' end", "interval '0'"],
        [
          '    and exists (select from rollup.station_hourly h where h.station_id = p.station_id and h.bucket >= p.since)\n',
          '',
        ],
      ],
      'sql/logic/20_placements.sql': [
        ['then s.screening else not s.trusted end;', 'then s.screening else true end;'],
      ],
      'sql/logic/50_network.sql': [['and o.since < p.until and o.until > p.since);', ');']],
      'sql/logic/51_network_file.sql': [["'screened', screened.list", "'screened', null"]],
      'sql/logic/70_current.sql': [
        ['pm: avg(c.$name) filter (where not m.is_pm_suspect)', 'pm: avg(c.$name)'],
        ['filter (where m.is_pm_suspect)', 'filter (where not m.is_pm_suspect)'],
      ],
    },
  },
  {
    tests: ['test/serve/health.test.ts', 'test/serve/current.test.ts'],
    changes: {
      'sql/logic/70_current.sql': [
        ['count(logic.possible(h.pm25)) >= 18', 'count(logic.possible(h.pm25)) > 18'],
        ['logic.possible(d.pm25) > 15)', 'logic.possible(d.pm25) >= 15)'],
        ['filter (where d.bucket >= day_30)', 'filter (where d.bucket > day_30)'],
        [
          "and d.made_at >= at - interval '30 minutes'",
          "and d.made_at > at - interval '30 minutes'",
        ],
        ['d.bucket >= day_365 and', 'd.bucket > day_365 and'],
        ['digest on digest.station_count > 0', 'digest on digest.station_count >= 0'],
        ['    order by d.made_at desc limit 1\n', '    order by d.made_at limit 1\n'],
        ['h.bucket >= hour_24 and h.bucket < hour\n', 'h.bucket > hour_24 and h.bucket < hour\n'],
      ],
    },
  },
  {
    tests: [
      'test/serve/current.test.ts',
      'test/serve/latest.test.ts',
      'test/serve/windows.test.ts',
      'test/serve/validUntil.test.ts',
      'test/aggregate/digest.test.ts',
    ],
    changes: {
      'sql/logic/70_current.sql': [
        ['is not null and r.wind_speed is distinct from 0)', 'is not null)'],
        [
          'avg(sind(logic.possible(r.wind_direction))) filter (where r.wind_speed is distinct from 0\n        and ',
          'avg(sind(logic.possible(r.wind_direction))) filter (where ',
        ],
        [
          "filter (where r.measured_at > newest.$name - interval '60 minutes')",
          "filter (where r.measured_at >= newest.$name - interval '60 minutes')",
        ],
        [
          "p.kind = 'hidden' and p.since <= at and at < p.until",
          "p.kind = 'hidden' and p.since <= at and at <= p.until",
        ],
        ['(select at >= f.refreshed_at from', '(select true from'],
        ['state.station_id = m.station_id and state.is_listed', 'state.station_id = m.station_id'],
        [
          "raw.placement p where p.since > at or p.until < 'infinity'",
          "raw.placement p where p.until < 'infinity'",
        ],
        [
          "raw.placement p where p.since > at or p.until < 'infinity'",
          'raw.placement p where p.since > at',
        ],
        [
          "raw.station_region m where m.since > at or m.until < 'infinity'",
          "raw.station_region m where m.until < 'infinity'",
        ],
        [
          "raw.station_region m where m.since > at or m.until < 'infinity'",
          'raw.station_region m where m.since > at',
        ],
      ],
      'sql/logic/20_placements.sql': [
        [
          "select tstzrange(rollup.bucket_start('hour', f.since),",
          'select tstzrange(logic.hour_ceiling(f.since),',
        ],
        [
          'where m.since <= at and at < m.until and (only_station',
          'where m.since <= at and at <= m.until and (only_station',
        ],
        [
          'order by m.station_id, r.kind, m.position, r.slug',
          'order by m.station_id, r.kind, r.slug',
        ],
      ],
      'sql/api/40_windows.sql': [['w.running - w.buckets)', 'w.running - w.buckets + 1)']],
    },
  },
  {
    tests: ['test/metrics'],
    changes: {
      'sql/logic/80_offline.sql': [['  where last.measured_at is not null;', '  where true;']],
      'sql/logic/08_geometry.sql': [['2 * 6371.0088', '2 * 6378.137 * 1.01']],
      'sql/api/70_attention.sql': [
        [' and state.is_listed', ''],
        ['coalesce(f.until > at, true)', 'coalesce(f.until >= at, true)'],
        ['coalesce(f.since <= at, true)', 'coalesce(f.since < at, true)'],
        ['min(f.since) filter', 'max(f.since) filter'],
      ],
      'sql/logic/75_service.sql': [
        [
          'max(bucket) from rollup.station_hourly where bucket <= at)',
          'max(bucket) from rollup.station_hourly)',
        ],
      ],
    },
  },
  {
    tests: ['test/serve/completeness.test.ts', 'test/serve/explore.test.ts'],
    changes: {
      'sql/api/15_aqi.sql': [['when aqi <= 100 then', 'when aqi < 100 then']],
      'sql/api/75_completeness.sql': [
        ['d.bucket < end_of_completed and (only', 'd.bucket < end_of_days and (only'],
        ['h.bucket >= today and h.bucket < end_of_days', 'h.bucket >= today'],
        ['greatest(d.bucket, b.first_hour))) / 3600', 'd.bucket)) / 3600'],
        [
          '(extract(epoch from end_of_days - first_day) / 86400)::int) n',
          '(extract(epoch from end_of_days - first_day) / 86400)::int - 1) n',
        ],
        ['when exists (select from', 'when not exists (select from'],
        ['and m.{{id}} = b.{{id}}', ''],
      ],
      'sql/api/83_region_explore.sql': [
        ['m.until > start and', 'm.until >= start and'],
        ['m.since <= start and', 'm.since < start and'],
        ['    limit most + 1\n', '    limit most\n'],
        [
          "string_agg(shown.mean, ',' order by shown.station_id)",
          "string_agg(shown.mean, ',' order by shown.station_id desc)",
        ],
        ['next <= at;', 'next < at;'],
      ],
      'sql/api/82_station_explore.sql': [
        ['d.pm25_hours, -1', 'd.pm25_hours, 0'],
        ['p.since <= start and p.until >= next and', 'p.since <= start and p.until > next and'],
        [
          'r.measured_at >= start and r.measured_at < next',
          'r.measured_at >= start and r.measured_at <= next',
        ],
        ['start >= i.retained_from,', 'start > i.retained_from,'],
        [
          "string_agg(r.reading, ',' order by r.measured_at)",
          "string_agg(r.reading, ',' order by r.measured_at desc)",
        ],
      ],
      'sql/api/81_explore.sql': [
        [
          "rollup.bucket_add('hour', end_of_hours, -24)",
          "rollup.bucket_add('hour', end_of_hours, -11)",
        ],
        ["rollup.bucket_add('day', today, -30)", "rollup.bucket_add('day', today, -29)"],
      ],
      'src/schema/repeatable.ts': [['\'"$key":\', h.$name_hours', '\'"$key":\', h.expected_hours']],
    },
  },
  {
    tests: ['test/serve/warnings.test.ts'],
    changes: {
      'sql/api/92_warning_rule.sql': [
        ["rollup.bucket_start('hour', now), -3)", "rollup.bucket_start('hour', now), -4)"],
        ['when hours = 3 and fallen < announced then worst', 'when fallen < announced then worst'],
        ['or risen > announced then category', 'or category > announced then category'],
        ['when percent > 100 then 0 else 1 end', 'when percent > 100 then 1 else 1 end'],
      ],
      'sql/api/93_warnings.sql': [
        ['<= 3 - k.hours', '<= 2 - k.hours'],
        ['where n.category is distinct from n.announced', 'where true'],
        ['n.category > coalesce(n.before, -1)', 'true'],
      ],
    },
  },
  {
    tests: ['test/aggregate/record.test.ts', 'test/serve/changes.test.ts'],
    changes: {
      'sql/logic/32_record.sql': [
        ['and c.regions is not distinct from s.regions', 'and true'],
        ['place <= most', 'place < most'],
      ],
    },
  },
  {
    tests: ['test/database/roles.test.ts', 'test/serve/dataVersion.test.ts'],
    changes: {
      'sql/grants.sql': [
        ['grant select on all tables in schema api to airseries_reader;', ''],
        ['revoke all on all procedures in schema logic, rollup from public;', ''],
      ],
      'sql/logic/35_retention.sql': [
        [
          'revoke all on function logic.retention_plan, logic.kept_hours, logic.lost_months, logic.pause_refresh,\n  logic.kept_hours_of, logic.remove_kept_hours, logic.restore_kept_hours, logic.lower_ingest_cutoff from public;',
          '',
        ],
      ],
      'sql/logic/40_ingest.sql': [
        [
          'logic.keep_last_totals, logic.delete_readings, logic.ingest_bounds\n  from public;',
          'logic.keep_last_totals, logic.ingest_bounds\n  from public;',
        ],
      ],
      'sql/logic/50_network.sql': [
        [
          "  if exists (\n    select from jsonb_each(result) kind where kind.value ->> 'added' <> '0' or kind.value ->> 'changed' <> '0') then",
          '  if true then',
        ],
      ],
    },
  },
  {
    tests: ['test/aggregate/engines.test.ts'],
    changes: {
      'sql/logic/30_stale.sql': [
        [
          'with asked as (delete from rollup.stale where not is_taken returning *)',
          'with asked as (select * from rollup.stale where not is_taken)',
        ],
        [
          "case (level).name when 'sensor_hourly' then i.retained_from else '-infinity' end",
          "'-infinity'::timestamptz",
        ],
      ],
      'sql/logic/31_refresh.sql': [['  perform logic.claim_changes(now);\n', '']],
      'sql/logic/70_current.sql': [
        [' where exists (select from gone) or exists (select from changed)', ''],
        [' or exists (select from changed)', ''],
      ],
      'src/schema/rebuild.ts': [
        ['    if (expired !== null) await preserveSensorHours(sql, since, expired, engine);\n', ''],
      ],
    },
  },
  {
    tests: ['test/aggregate/engines.test.ts'],
    engine: 'timescale',
    changes: {
      'sql/engines/timescale/storage.sql': [
        [
          "then interval '7 days' else interval '30 days' end",
          "then interval '30 days' else interval '7 days' end",
        ],
        ['c.range_end < maintain.now - c.rests', 'c.range_end < maintain.now'],
      ],
    },
  },
  {
    tests: ['test/whole/wiring.test.ts', 'test/metrics/metrics.test.ts'],
    changes: {
      'src/service.ts': [
        ["database !== undefined && config.role !== 'api'", 'database !== undefined'],
        ['  if (readerDatabaseUrl !== undefined) await checkReader(readerDatabaseUrl);\n', ''],
        ['  registerCollectors(metrics, wholeNetwork, { clock, log });\n', ''],
        ['clock, log, retention, undoDays,', 'clock, log, retention: undefined, undoDays,'],
        ['rate: config.ingestRate', 'rate: 1_000_000'],
        ['maxBytes: config.responseCacheMb * 1_048_576', 'maxBytes: 1_048_576'],
      ],
    },
  },
  {
    tests: ['test/extras/pages/wiring.test.ts'],
    changes: {
      'src/extras/pages/extra.ts': [["    if (page === 'off') return {};\n", '']],
    },
  },
  {
    tests: ['test/extras/embedded/restart.test.ts'],
    build: true,
    changes: {
      'src/extras/demo/extra.ts': [
        ["settings.demo ?? (embedded ? 'on' : undefined)", "embedded ? 'on' : settings.demo"],
      ],
    },
  },
  {
    tests: ['test/whole/startAndStop/service.test.ts', 'test/whole/startAndStop/uncaught.test.ts'],
    build: true,
    changes: {
      'src/cli.ts': [
        ['      if (isStopping) process.exit(1);\n', ''],
        ['    if (isStopping && isDriverError(error)) return;', '    //'],
        ['    await service.stop(config.drainSeconds);\n', '    await service.stop(0);\n'],
        [
          '    log.error({ err: error }, describeUncaughtError(error));\n    process.exit(1);',
          '    log.error({ err: error }, describeUncaughtError(error));',
        ],
        ['    log.error({ err: error }, describeUncaughtError(error));\n', ''],
        [
          '    writeError(describeUncaughtError(error));\n    process.exit(1);',
          '    writeError(describeUncaughtError(error));',
        ],
      ],
      'src/database/remedies.ts': [['  /\\/node_modules', '  !/\\/node_modules']],
    },
  },
  {
    tests: ['test/whole/mistakes/surroundings.test.ts', 'test/commands/cli.test.ts'],
    build: true,
    changes: {
      'src/cli.ts': [
        ['process.exitCode = isUsage ? 2 : 1;', 'process.exitCode = 1;'],
        ['  checkPorts(config);\n', ''],
      ],
    },
  },
];

export const GROUPS: readonly Group[] = TABLE.filter(({ tests }) => tests.every(isOurs)).map(
  ({ changes, ...group }) => ({
    ...group,
    mutants: Object.entries(changes)
      .filter(([file]) => isOurs(file))
      .flatMap(([file, all]) => all.map(([replace, by]) => ({ file, replace, by }))),
  }),
);

/** False for a file of an extra that has been taken out. */
function isOurs(path: string): boolean {
  const [folder] = /^\w+\/extras\/\w+/.exec(path) ?? [];
  return folder === undefined || existsSync(inProject(folder));
}

/**
 * Where the table no longer fits, in words: a test or a file that it names is gone, or what it
 * replaces does not stand exactly once in its file.
 */
export const misfits = (groups: readonly Group[]): string[] => [
  ...groups.flatMap(({ tests }) =>
    tests.filter((path) => !existsSync(inProject(path))).map((path) => `no ${path}`),
  ),
  ...groups.flatMap(({ mutants }) => mutants).flatMap(misfit),
];

function misfit({ file, replace }: Mutant): string[] {
  if (!existsSync(inProject(file))) return [`no ${file}`];
  const times = readFileSync(inProject(file), 'utf8').split(replace).length - 1;
  return times === 1 ? [] : [`${file} has ${times} times: ${replace}`];
}

function inProject(path: string): URL {
  return new URL(`../../../${path}`, import.meta.url);
}
