-- The rule by which the air quality category of a place is announced (R3), and when a refresh applies it. The refresh
-- records each announcement as it makes it, and nothing changes it later: what a reader was sent stays.

-- The category of an hour, from 0, good, with all bounds moved: at 100 % the hour's own; at 105 % the worst one whose
-- lower bound the hour is 5 % beyond; at 95 % better than the announced one only if the hour is 5 % below its lower
-- bound. Null if no mean counts.
create function logic.category(
  index text, percent int, aqi int, pm25 float8, pm10 float8, o3 float8, no2 float8, so2 float8)
returns int language sql immutable parallel safe
  return case index
    when 'aqi' then width_bucket(aqi * 100 - case when percent > 100 then 0 else 1 end,
      array[50 * percent, 100 * percent, 150 * percent, 200 * percent, 300 * percent])
    else logic.european_grade(pm25 * 100 / percent, pm10 * 100 / percent, o3 * 100 / percent, no2 * 100 / percent,
      so2 * 100 / percent) / 10 end;

-- Its name, as the API has it.
create function logic.category_name(index text, category int) returns text language sql immutable parallel safe
  return case index
    when 'aqi' then lower(api.aqi_category((array[0, 51, 101, 151, 201, 301])[category + 1]))
    else logic.european_band(10 * category) end;

-- The category to announce next. It gets worse at once, to the category of the hour, when the hour is 5 % beyond the
-- upper bound of the announced one; and better, to the worst of three hours in a row, when each of them is 5 % below
-- its lower bound. `risen`: the category of the hour at 105 %; `fallen`: the worst of the three hours at 95 %; `hours`:
-- three, or fewer if no more are known.
--
-- Entries a week of a station: 18 in Beijing (UCI, two years), 5.2 in Aberdeen (Sensor.Community, two months). Without
-- the 5 % they were 22.6 and 6.3, and with one better hour instead of three 27 and 6.9.
create function logic.next_category(announced int, category int, risen int, hours int, worst int, fallen int)
returns int language sql immutable parallel safe
  return case
    when announced is null or risen > announced then category
    when hours = 3 and fallen < announced then worst
    else announced end;

-- The announced category after each of several hours.
create aggregate logic.announced(category int, risen int, hours int, worst int, fallen int) (
  sfunc = logic.next_category, stype = int, parallel = safe
);

-- The first of the closed hours that may still warn: they ended at most three hours ago.
create function logic.fresh_since(now timestamptz) returns timestamptz language sql stable
  return rollup.bucket_add('hour', rollup.bucket_start('hour', now), -3);

-- Has the refresh look for warnings if a claimed change concerns an hour that may still warn.
create function logic.note_fresh_changes(now timestamptz) returns void language sql as $$
  update rollup.freshness f set announced_until = logic.fresh_since(now)
  where f.announced_until > logic.fresh_since(now)
    and logic.claimed(tstzrange(logic.fresh_since(now), rollup.bucket_start('hour', now))) <> '{}'
$$;

-- Announces what the closed hours give reason for, if one has closed or changed since the last time. In a database that
-- has never announced anything (a new one, or an older version's), the last 31 local days are announced as if each hour
-- had been known at its end, once they are complete: nobody was sent anything before, and no feed begins empty.
create function logic.announce(now timestamptz, is_complete boolean) returns void language plpgsql as $$
declare
  until constant timestamptz := rollup.bucket_start('hour', now);
  state constant rollup.freshness := (select f from rollup.freshness f);
  announced bigint;
begin
  if state.refreshed_at is null or state.announced_until = until then return; end if;
  if state.announced_until is null then
    if not is_complete then return; end if;
    announced := logic.announce_past_stations(until) + logic.announce_past_regions(until);
    if announced = 0 then return; end if;
  else
    announced := logic.announce_stations(now) + logic.announce_regions(now);
  end if;
  update rollup.freshness set announced_until = until;
  if announced > 0 then perform logic.raise_data_version(); end if;
end $$;

-- Deletes announcements that no document lists any more, except the newest of each place, with which its next hour is
-- compared.
create function logic.delete_old_warnings(now timestamptz) returns void language plpgsql as $$
begin
  perform logic.delete_old_station_warnings(now), logic.delete_old_region_warnings(now);
end $$;

revoke all on function logic.note_fresh_changes, logic.announce, logic.delete_old_warnings from public;
