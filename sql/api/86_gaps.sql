-- Tells why hours of a station are absent, from what is stored: its hours, where its sensors stood, and the quarantine.
-- It runs with the rights of its owner, since no view of this schema has these.
create function api.station_gaps_json(at timestamptz, only_station int, year int)
returns table (gaps text, valid_until timestamptz, data_version int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
  {{seek_settings}}
as $$
declare
  since constant timestamptz := greatest(rollup.origin(),
    make_timestamp(year, 1, 1, 0, 0, 0) at time zone rollup.time_zone());
  until constant timestamptz := least(make_timestamp(year + 1, 1, 1, 0, 0, 0) at time zone rollup.time_zone(),
    rollup.bucket_start('hour', at));
  -- lines stay in quarantine for 90 days (trim.ts), and readings come when they are measured or later
  recorded_since constant timestamptz := logic.hour_ceiling(at - interval '90 days');
  absent constant tstzmultirange := case when since < until then tstzmultirange(tstzrange(since, until)) else '{}' end
    - coalesce((
      select range_agg(tstzrange(h.bucket, h.bucket + interval '1 hour'))
      from rollup.station_hourly h
      where h.station_id = only_station and h.bucket >= since and h.bucket < until), '{}');
begin
  return query
  with stay as (
    select s.sensor_id, logic.whole_hours(range_agg(tstzrange(s.since, s.until))) * absent as hours
    from raw.sensor_station s where s.station_id = only_station group by 1
  ),
  placed as materialized (
    select p.sensor_id, logic.whole_hours(range_agg(tstzrange(p.since, p.until))) * absent as hours
    from raw.placement p where p.station_id = only_station group by 1
  ),
  refused as materialized (
    select rollup.bucket_start('hour', r.measured_at) as hour, q.reason, count(*) as readings
    from raw.quarantine q
    join placed p on p.sensor_id = (q.reading ->> 'sensor_id')::int
    cross join lateral (select to_timestamp((q.reading ->> 'microseconds')::float8 / 1e6) as measured_at) r
    where p.hours @> r.measured_at
    group by 1, 2
  ),
  hours as (
    select
      coalesce((select range_agg(p.hours) from placed p), '{}') as placed,
      coalesce((select range_agg(tstzrange(r.hour, r.hour + interval '1 hour')) from refused r), '{}') as refused,
      coalesce((select range_agg(s.hours * logic.widen('hour', tstzmultirange(tstzrange(p.since, p.until))))
        from stay s join raw.suspicious_period p on p.sensor_id = s.sensor_id), '{}') as suspicious,
      coalesce((select range_agg(s.hours * logic.widen('hour', tstzmultirange(tstzrange(p.since, p.until))))
        from stay s join raw.removed_period p on p.sensor_id = s.sensor_id), '{}') as removed
  ),
  -- hours in a row differ from their rank by the same
  refused_run as (
    select min(r.first) as since, max(r.last) + interval '1 hour' as until, sum(r.readings) as readings,
      (array_agg(r.reason order by r.readings desc, r.reason))[1] as main_reason
    from (
      select one.run, one.reason, sum(one.readings) as readings, min(one.hour) as first, max(one.hour) as last
      from (
        select *, refused.hour - dense_rank() over (order by refused.hour) * interval '1 hour' as run from refused
      ) one
      group by 1, 2
    ) r
    group by r.run
  ),
  gap as (
    select 'refused' as reason, r.since, r.until, r.readings, r.main_reason from refused_run r
    union all
    select other.reason, lower(part), upper(part), null, null
    from hours h
    cross join lateral (values
      ('silent', (h.placed - h.refused) * tstzmultirange(tstzrange(recorded_since, null))),
      ('unknown', (h.placed - h.refused) - tstzmultirange(tstzrange(recorded_since, null))),
      ('suspicious', h.suspicious - h.placed),
      ('retention', h.removed - h.suspicious - h.placed),
      ('moved', absent - h.removed - h.suspicious - h.placed)) other(reason, hours)
    cross join unnest(other.hours) part
  )
  select '[' || coalesce(string_agg(concat(
      '{"since":', to_json(g.since), ',"until":', to_json(g.until),
      ',"hours":', (extract(epoch from g.until - g.since) / 3600)::int, ',"reason":"', g.reason,
      '","refused_readings":', coalesce(g.readings::text, 'null'),
      ',"refused_for":', coalesce(to_json(g.main_reason)::text, 'null'), '}'),
      ',' order by g.since), '') || ']',
    api.history_valid_until(at), (select f.data_version from api.freshness f)
  from gap g
  having exists (select from raw.station s where s.id = only_station);
end $$;
comment on function api.station_gaps_json is
  'The absent hours of a station in a local year, up to the running hour, and why each is absent. One row; none for an '
  'unknown id. Columns: gaps (a JSON array of periods of full hours in the order of time, as text: start, end, number '
  'of hours, reason, and of reason refused the number of readings and their most frequent reason), valid_until, '
  'data_version.
Reasons: refused (readings of a sensor that counts are in quarantine), silent (none is stored nor in quarantine), '
  'unknown (older than 90 days, when lines leave the quarantine), suspicious (the sensors that stood there did not '
  'count), retention (the hours of a removed sensor were all that was kept), moved (no sensor stood there for the '
  'whole hour).';
