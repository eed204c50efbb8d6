-- Derives from the periods of the network when a sensor's readings count for a station, and when a station's hours
-- count for a region.

-- Placements (P2): when a sensor was at a station, minus its suspicious periods and those that were removed with their
-- readings, split where its formula changes. Formulas change on full hours.
create view logic.placement as
  with corrected as (
    select sensor_id, formula, range_agg(tstzrange(logic.hour_ceiling(since), logic.hour_ceiling(until))) as periods
    from raw.correction group by 1, 2
  ),
  formula as (
    select sensor_id, formula, periods from corrected
    union all
    select sensor.id, 'none', '{[-infinity,infinity)}'::tstzmultirange - coalesce(of_sensor.periods, '{}')
    from raw.sensor sensor
    left join (select sensor_id, range_agg(periods) as periods from corrected group by 1) of_sensor
      on of_sensor.sensor_id = sensor.id
  )
  select located.sensor_id, located.station_id, formula.formula,
    lower(part) as since, upper(part) as until
  from (select sensor_id, station_id, range_agg(tstzrange(since, until)) as periods from raw.sensor_station
    group by 1, 2) located
  join formula on formula.sensor_id = located.sensor_id
  left join (select sensor_id, range_agg(tstzrange(since, until)) as periods from raw.suspicious_period
    group by 1) suspicious
    on suspicious.sensor_id = located.sensor_id
  left join (select sensor_id, range_agg(tstzrange(since, until)) as periods from raw.removed_period group by 1) removed
    on removed.sensor_id = located.sensor_id
  cross join unnest(located.periods * formula.periods - coalesce(suspicious.periods, '{}')
    - coalesce(removed.periods, '{}')) part;

-- The periods that screening found and that count: at stations whose operator does not vouch for the flagged
-- parameters.
create view logic.screened_period as
  select p.station_id, p.sensor_id, p.reason, p.since, p.until, p.kind, p.evidence, p.hours from raw.screened_period p
  join raw.station s on s.id = p.station_id and case p.kind when 'thp' then s.screening else not s.trusted end;

-- Flags: the periods in which a station's temperature, humidity and pressure were unreliable (kind thp, C5) or its
-- particles suspect (kind pm, C9), as set by the operator or found by screening. Regions leave the station out of the
-- flagged parameters, but not yet in an outlier's first 24 suspect hours: smoke passes, a fault lasts.
create view logic.flag as
  select station_id, kind, 'operator' as reason, null::int as sensor_id, since, until, null::jsonb as evidence,
    true as is_left_out
  from raw.flag_period
  union all
  select station_id, kind, reason, sensor_id, since, until, evidence, hours is null from logic.screened_period;

-- The full hours in which a station is flagged, and those in which regions leave it out, outwards (P3, C9).
create view logic.flagged as
  select f.station_id, f.kind, range_agg(hours.part) as periods,
    coalesce(range_agg(hours.part) filter (where f.is_left_out), '{}') as left_out
  from logic.flag f
  cross join lateral (
    select tstzrange(rollup.bucket_start('hour', f.since), logic.hour_ceiling(f.until)) as part) hours
  group by 1, 2;

-- Memberships (P3): when a station was in a region, minus its hidden periods, split where a flag begins or ends. All
-- bounds are full hours: flags are extended to whole hours, and all other bounds are rounded up.
create view logic.membership as
  with hidden as (
    select station_id, range_agg(tstzrange(logic.hour_ceiling(since), logic.hour_ceiling(until))) as periods
    from raw.hidden_period group by 1
  ),
  counted as (
    select m.station_id, m.region_slug, m.periods - coalesce(hidden.periods, '{}') as periods,
      coalesce(thp.left_out, '{}') as thp, coalesce(pm.left_out, '{}') as pm
    from (
      select station_id, region_slug,
        range_agg(tstzrange(logic.hour_ceiling(since), logic.hour_ceiling(until))) as periods
      from raw.station_region group by 1, 2
    ) m
    left join hidden using (station_id)
    left join logic.flagged thp on thp.station_id = m.station_id and thp.kind = 'thp'
    left join logic.flagged pm on pm.station_id = m.station_id and pm.kind = 'pm'
  )
  select c.station_id, c.region_slug, piece.is_flagged, piece.is_pm_suspect, lower(part) as since, upper(part) as until
  from counted c
  cross join lateral (values
    (false, false, c.periods - c.thp - c.pm), (true, false, c.periods * c.thp - c.pm),
    (false, true, c.periods * c.pm - c.thp), (true, true, c.periods * c.thp * c.pm)) piece(is_flagged, is_pm_suspect,
      periods)
  cross join unnest(piece.periods) part;

-- The first instant after the given one at which a hidden period begins or ends; null if none does.
create function logic.hidden_changes_after(at timestamptz) returns timestamptz language sql stable as $$
  select least(min(h.since) filter (where h.since > at), min(h.until) filter (where h.until > at))
  from raw.hidden_period h
$$;

-- The first instant after the given one at which a station joins or leaves a region; null if none does.
create function logic.member_changes_after(at timestamptz, only_region text) returns timestamptz
language sql stable as $$
  select least(min(m.since) filter (where m.since > at), min(m.until) filter (where m.until > at))
  from raw.station_region m where m.region_slug = only_region
$$;

-- The listed stations nearest to a place, without some, at most `most`: a JSON array with the id and the distance in km
-- of each, the nearest first, as text.
create function logic.neighbours_json(
  at timestamptz, latitude float8, longitude float8, without_stations int[], most int
) returns text language sql stable as $$
  select coalesce(json_agg(json_build_object('id', n.id, 'distance_km', n.km) order by n.km, n.id), '[]')::text
  from (
    select s.id,
      round(logic.distance_km(neighbours_json.latitude, neighbours_json.longitude, s.latitude, s.longitude)::numeric, 2)
        as km
    from raw.station s
    where s.id <> all (without_stations) and not exists (select from raw.hidden_period h
      where h.station_id = s.id and h.since <= at and at < h.until)
    order by km, s.id limit most) n
$$;

-- The city and the district that a station belongs to at an instant, hidden or not. If it belongs to several of a kind,
-- the first in the network file counts (C8). The function is in PL/pgSQL for the reason given in 70_current.sql.
create function logic.station_place(at timestamptz, only_station int default null)
returns table (station_id int, city_slug text, district_slug text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
begin
  return query
  select station_id, max(slug) filter (where kind = 'city'), max(slug) filter (where kind = 'district')
  from (
    select distinct on (m.station_id, r.kind) m.station_id, r.kind, r.slug
    from raw.station_region m join raw.region r on r.slug = m.region_slug
    where m.since <= at and at < m.until and (only_station is null or m.station_id = only_station)
    order by m.station_id, r.kind, m.position, r.slug
  ) first
  group by station_id;
end $$;

-- The city and the district that a station belongs or last belonged to, for views that have no instant. The period that
-- ends last counts.
create view logic.station_last_place as
  select m.station_id,
    (array_agg(r.slug order by m.until desc, m.position, r.slug) filter (where r.kind = 'city'))[1] as city_slug,
    (array_agg(r.slug order by m.until desc, m.position, r.slug) filter (where r.kind = 'district'))[1] as district_slug
  from raw.station_region m join raw.region r on r.slug = m.region_slug
  group by m.station_id;

-- Updates raw.placement, raw.membership and raw.flagged from the current periods. It marks the differences stale for the
-- next refresh (P4), with the reason that the record gives (R1): a sensor's differences from station hours upwards, a
-- station's from region hours upwards. It writes nothing if nothing changed. It returns how many of the affected sensors
-- and stations have data. Call it after any change of periods, while holding raw.network_lock.
create function logic.apply_periods(reason_of_flags text default 'flag', out sensors_changed int, out stations_changed int)
language plpgsql as $$
declare
  placements constant raw.placement[] := array(select (sensor_id, station_id, formula, since, until)::raw.placement
    from logic.placement);
  memberships constant raw.membership[] := array(
    select (station_id, region_slug, is_flagged, is_pm_suspect, since, until)::raw.membership from logic.membership);
  flags constant raw.flagged[] := array(select (f.station_id, f.kind, lower(part), upper(part))::raw.flagged
    from logic.flagged f cross join unnest(f.left_out) part);
  placements_before raw.placement[];
  placements_after raw.placement[];
  memberships_before raw.membership[];
  memberships_after raw.membership[];
  flags_before raw.flagged[];
  flags_after raw.flagged[];
begin
  placements_before := array(select (b.*)::raw.placement
    from (table raw.placement except select * from unnest(placements)) b);
  placements_after := array(select (a.*)::raw.placement
    from (select * from unnest(placements) except table raw.placement) a);
  memberships_before := array(select (b.*)::raw.membership
    from (table raw.membership except select * from unnest(memberships)) b);
  memberships_after := array(select (a.*)::raw.membership
    from (select * from unnest(memberships) except table raw.membership) a);
  flags_before := array(select (b.*)::raw.flagged from (table raw.flagged except select * from unnest(flags)) b);
  flags_after := array(select (a.*)::raw.flagged from (select * from unnest(flags) except table raw.flagged) a);

  delete from raw.placement p using unnest(placements_before) b where (p.sensor_id, p.since) = (b.sensor_id, b.since);
  insert into raw.placement (sensor_id, station_id, formula, since, until)
  select sensor_id, station_id, formula, since, until from unnest(placements_after);
  delete from raw.membership m using unnest(memberships_before) b
  where (m.station_id, m.region_slug, m.since) = (b.station_id, b.region_slug, b.since);
  insert into raw.membership (station_id, region_slug, is_flagged, is_pm_suspect, since, until)
  select station_id, region_slug, is_flagged, is_pm_suspect, since, until from unnest(memberships_after);
  delete from raw.flagged f using unnest(flags_before) b
  where (f.station_id, f.kind, f.since) = (b.station_id, b.kind, b.since);
  insert into raw.flagged (station_id, kind, since, until)
  select station_id, kind, since, until from unnest(flags_after);

  -- per sensor and station: the times that are in only one of the two states, or whose formula alone differs
  with before as (
    select sensor_id, station_id, formula, range_agg(tstzrange(since, until)) as periods
    from unnest(placements_before) group by 1, 2, 3
  ),
  after as (
    select sensor_id, station_id, formula, range_agg(tstzrange(since, until)) as periods
    from unnest(placements_after) group by 1, 2, 3
  ),
  corrected as (
    select sensor_id, station_id, range_agg(logic.symmetric_difference(b.periods, a.periods)) as periods
    from before b full join after a using (sensor_id, station_id, formula) group by 1, 2
  ),
  moved as (
    select sensor_id, station_id, logic.symmetric_difference(b.periods, a.periods) as periods
    from (select sensor_id, station_id, range_agg(periods) as periods from before group by 1, 2) b
    full join (select sensor_id, station_id, range_agg(periods) as periods from after group by 1, 2) a
      using (sensor_id, station_id)
  ),
  noted as (
    insert into rollup.stale (from_level, since, until, sensor_id, station_id, reason)
    select 'station_hourly', lower(part), upper(part), m.sensor_id, m.station_id, d.reason
    from moved m
    join corrected c using (sensor_id, station_id)
    cross join lateral (values ('placement', m.periods), ('formula', c.periods - m.periods)) d(reason, periods)
    cross join unnest(d.periods) part
    returning sensor_id
  )
  select count(*) into sensors_changed
  from (select distinct sensor_id from noted) n
  where exists (select from rollup.sensor_hourly h where h.sensor_id = n.sensor_id);

  -- per station and region: the times that are in only one of the two states; and the flags of each station
  with difference as (
    select 'membership' as reason, station_id, region_slug, logic.symmetric_difference(before, after) as periods
    from (select station_id, region_slug, range_agg(tstzrange(since, until)) as before
      from unnest(memberships_before) group by 1, 2) b
    full join (select station_id, region_slug, range_agg(tstzrange(since, until)) as after
      from unnest(memberships_after) group by 1, 2) a
      using (station_id, region_slug)
    union all
    select reason_of_flags, station_id, null, range_agg(logic.symmetric_difference(before, after))
    from (select station_id, kind, range_agg(tstzrange(since, until)) as before
      from unnest(flags_before) group by 1, 2) b
    full join (select station_id, kind, range_agg(tstzrange(since, until)) as after
      from unnest(flags_after) group by 1, 2) a
      using (station_id, kind)
    group by 2
  ),
  noted as (
    insert into rollup.stale (from_level, since, until, station_id, region_slug, reason)
    select 'region_hourly', lower(part), upper(part), station_id, region_slug, reason
    from difference d cross join unnest(d.periods) part
    returning station_id
  )
  select count(*) into stations_changed
  from (select distinct station_id from noted) n
  where exists (select from rollup.station_hourly h where h.station_id = n.station_id);
end $$;

revoke all on function logic.apply_periods, logic.hidden_changes_after, logic.member_changes_after,
  logic.neighbours_json from public;
