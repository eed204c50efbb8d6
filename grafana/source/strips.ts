/**
 * Strips of the AQI: a row for each city or station, a cell for each hour, in the colours of the US
 * EPA index.
 */
import { strip } from './charts.ts';
import { aqiTexts, NOTHING } from './colours.ts';
import type { Panel } from './panel.ts';
import { AT, LOCALE, quoted } from './subject.ts';
import { rows } from './targets.ts';
import { UNIT } from './units.ts';

const HOUR = 3_600_000;

type Given = {
  title: string;
  of: string;
  h: number;
  row?: string;
  order?: string;
  from: string;
  span?: string;
};

/**
 * `from` is the query after its select list, with hours as `h`; `row` is the SQL of a row's name.
 */
export const aqiStrip = ({
  title,
  of,
  h,
  row = 't.title',
  order = row,
  from,
  span,
}: Given): Panel =>
  strip({
    title,
    description: `US EPA index of PM2.5 and PM10 only, of each hour, ${of}. Point at a cell for its index and category; empty: no particles measured.${
      span === undefined ? '' : ` The ${span} up to now; with a fixed time range its last ${span}.`
    }`,
    w: 24,
    h,
    unit: UNIT.text,
    row: 'row',
    gapMs: 1.5 * HOUR,
    steps: [{ color: NOTHING, value: null }],
    mappings: aqiTexts('color'),
    ...(span === undefined ? {} : { span }),
    targets: rows(`select h.timestamp as "time", ${row} as "row", api.aqi_text(h.aqi) as "AQI"
${from}
order by ${order}, h.timestamp`),
  });

/**
 * The time range, but no more than its last hours: a month of every station would be too many cells
 * to see.
 */
export const within = (span: string) =>
  `$__timeFilter(h.timestamp) and h.timestamp > ${AT} - interval '${Number.parseInt(span, 10)} hours'`;

export const cityStrip = aqiStrip({
  title: 'AQI of the cities, hour by hour',
  of: 'by city; of the last seven days at most',
  h: 9,
  from: `from api.region_hourly h join api.region r on r.slug = h.region_slug
join api.region_title t on t.region_slug = r.slug and t.locale = ${LOCALE}
where r.kind = 'city' and not r.is_hidden and $__timeFilter(h.timestamp) and h.timestamp > ${AT} - interval '7 days'`,
});

export const regionStrip = aqiStrip({
  title: 'AQI of the stations, hour by hour',
  of: 'by station, including hidden ones',
  h: 11,
  span: '48h',
  from: `from api.station_hourly h join api.station_current(${AT}, locale => ${LOCALE}) t on t.id = h.station_id
where ${quoted('region')} in (t.city_slug, t.district_slug) and ${within('48h')}`,
});

export const stationStrip = aqiStrip({
  title: 'AQI, hour by hour',
  of: 'of the station and of its city',
  h: 4,
  span: '72h',
  row: 'h.row',
  order: 'h.row desc',
  from: `from (
  select timestamp, aqi, 'this station' as row from api.station_hourly where station_id = ${quoted('station')}::int
  union all
  select timestamp, aqi, 'its city' from api.region_hourly where region_slug = ${quoted('city')}
) h
where ${within('72h')}`,
});
