/**
 * Dashboard of one city or district: current values, WHO figures, the five windows, and all
 * parameters over the time range.
 */
import { changesOf } from './changes.ts';
import { CATEGORIES, LINE } from './colours.ts';
import { coverage } from './coverage.ts';
import { CURRENT, indices, NOW, stationsTable, tiles } from './current.ts';
import { dashboard } from './dashboard.ts';
import type { Mapping } from './grafanaTypes.ts';
import { air, weather } from './measured.ts';
import type { Panel } from './panel.ts';
import { patterns } from './patterns.ts';
import { regionStrip } from './strips.ts';
import { AT, LOCALE, quoted, REGION } from './subject.ts';
import { UNIT } from './units.ts';
import { chosen, datasource, locale, POSTGRES } from './variables.ts';
import { windows } from './windows.ts';

const current = `from api.region_current(${AT}, ${quoted('region')}) c`;

const withIndices = `${current} cross join api.region_now(${AT}, ${quoted('region')}) n`;

/** Regions with their titles, without a `where`. */
const choice = `select r.slug as __value, t.title as __text from api.region r join api.region_title t on t.region_slug = r.slug and t.locale = ${LOCALE}`;

/**
 * A mean against its guideline. An exceedance is null both up to 15 % above it and without a mean
 * (W3), so the mean says which it is.
 */
const against = (mean: string, guideline: number, exceedance: string) =>
  `to_char(${mean}, 'FM999990.0 "µg/m³ · "') || case when ${mean} <= ${guideline} then 'within' else coalesce(${exceedance} || ' times', 'up to 15 % above') end || ' the guideline'`;

const verdict = (pattern: string, color: string): Mapping => ({
  type: 'regex',
  options: { pattern, result: { color, index: 0 } },
});

const health: Panel = tiles({
  title: 'PM2.5, guideline of the WHO, cigarettes',
  description:
    'Mean of the last 24 closed hours, of which at least 18 have data, against the guideline of 15 µg/m³; mean of the days measured of the last 365 completed ones against that of 5 µg/m³, and how many of them were above 15; exposure over the last 30 days in cigarettes (mean × 30 / 22).',
  from: `from (
  select c.*, l."pm2.5_days" as days
  from api.region_current(${AT}, ${quoted('region')}) c cross join api.region_limits(${AT}, ${quoted('region')}) l
  where l."pm2.5_days" > 0 or c."who_daily_pm2.5" is not null
) c`,
  mappings: [
    verdict('/within the guideline$/', CATEGORIES[0].ink),
    verdict('/above the guideline$/', CATEGORIES[2].ink),
    verdict('/times the guideline$/', CATEGORIES[3].ink),
    verdict('/^[0-9]/', LINE),
  ],
  tiles: [
    { name: '24-hour mean', column: against('c."who_daily_pm2.5"', 15, 'c.who_daily_exceedance') },
    {
      name: 'Mean of',
      says: "'Mean of ' || c.days || case c.days when 1 then ' day' else ' days' end",
      column: against('c."who_year_pm2.5"', 5, 'c.who_yearly_exceedance'),
    },
    {
      name: 'Days above 15 µg/m³, of those measured',
      column: `case when c.days > 0 then c."who_pm2.5_exceedance_days" || ' of ' || c.days end`,
    },
    { name: 'Cigarettes per month', column: `to_char(c.month_cigarettes, 'FM999990.0')` },
  ].map((tile) => ({ ...tile, column: `coalesce(${tile.column}, 'no data')` })),
});

const now: Panel[] = [
  indices(withIndices),
  tiles({
    title: 'Current values',
    description: `${NOW} Stations: those online in the digest behind these values, which is up to half an hour older than the end of the time range.`,
    from: withIndices,
    tiles: [
      ...CURRENT,
      { name: 'Stations', column: 'c.station_count', unit: UNIT.none, decimals: 0 },
    ],
  }),
];

export const region = dashboard({
  uid: 'airseries-region',
  title: 'City / district',
  description:
    'One city or district: its current values, WHO figures, the five windows of the API, and its stations.',
  from: 'now-30d',
  annotations: [changesOf(REGION)],
  variables: [
    datasource(POSTGRES),
    locale,
    chosen('city', 'City', `${choice} where r.kind = 'city' and not r.is_hidden order by 2`),
    chosen(
      'region',
      'City or district',
      `${choice} where r.slug = ${quoted('city')} or r.city_slug = ${quoted('city')} order by r.kind, 2`,
    ),
  ],
  sections: [
    { panels: [...now, regionStrip] },
    { heading: 'PM2.5 and health', panels: [health] },
    { heading: 'PM2.5 in the five windows', panels: windows(REGION) },
    { heading: 'Air', panels: air(REGION) },
    { heading: 'PM2.5 by day, hour and wind', panels: patterns(REGION) },
    { heading: 'Weather', panels: weather(REGION) },
    {
      heading: 'Stations',
      panels: [
        ...coverage(REGION),
        stationsTable(
          'Listed stations',
          'Stations of the city or district.',
          ` and ${quoted('region')} in (c.city_slug, c.district_slug)`,
          12,
        ),
      ],
    },
  ],
});
