/**
 * Published numbers that changed (R1), as shaded hours in every chart, so that a step in a line says
 * why.
 */
import { LINE } from './colours.ts';
import type { AnnotationQuery } from './grafanaTypes.ts';
import { AT, LOCALE, type OneSubject } from './subject.ts';
import { query } from './targets.ts';
import { CHOSEN_DATASOURCE, POSTGRES } from './variables.ts';

/** `cause`: SQL of the sensors or stations that it was because of. */
const annotation = (from: string, cause: string): AnnotationQuery => ({
  name: 'Changes',
  iconColor: LINE,
  enable: true,
  hide: false,
  datasource: { type: POSTGRES, uid: CHOSEN_DATASOURCE },
  ...{
    target: query(`select c.first_hour as "time", c.last_hour + interval '1 hour' as "timeend",
  'recomputed on ' || to_char(c.shown_at at time zone i.time_zone, 'YYYY-MM-DD') || ': ' || c.reason || coalesce(' (' || ${cause} || ')', '') as "text", c.reason as "tags"
from ${from}
cross join api.installation i
where c.first_hour <= $__timeTo()::timestamptz and c.last_hour >= $__timeFrom()::timestamptz
order by 1`),
  },
});

/** A flag leaves a station's own numbers as they are, and has its own annotation. */
const OWN = `
  where e.reason not in ('flag', 'screening')`;

/** The changes of the chosen station or region, each with its sensors or stations. */
export const changesOf = ({ view, id }: OneSubject): AnnotationQuery => {
  const causes = `${view === 'station' ? 'sensor' : 'station'}s`;
  return annotation(
    `(
  select e.shown_at, e.reason, e.${causes}, h.first_hour, h.last_hour
  from api.${view}_changes_json(${AT}, ${id}) d
  cross join json_to_recordset(d.changes::json) e(shown_at timestamptz, reason text, ${causes} json, hours json)
  cross join json_to_recordset(e.hours) h(first_hour timestamptz, last_hour timestamptz)${view === 'station' ? OWN : ''}
) c`,
    `(select '${causes} ' || string_agg(one, ', ') from json_array_elements_text(case json_typeof(c.${causes}) when 'array' then c.${causes} end) one)`,
  );
};

/** The changes of several stations; `chosen`: SQL of their ids, as an array. */
export const changesOfStations = (chosen: string): AnnotationQuery =>
  annotation(
    `(
  select * from api.changes($__timeFrom()::timestamptz, 'infinity') a
  where a.region_slug is null and a.reason not in ('flag', 'screening') and (a.station_id is null or a.station_id = any(${chosen}))
) c
left join api.station_title t on t.station_id = c.station_id and t.locale = ${LOCALE}`,
    't.title',
  );
