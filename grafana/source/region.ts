/** Dashboard of one city or district: current values, WHO figures, the five windows, and all parameters over the time range. */
import { limit } from './colours.ts';
import { coverage } from './coverage.ts';
import { CURRENT, INDICES, numbers, type Shown, stationsTable } from './current.ts';
import { dashboard } from './dashboard.ts';
import { air, weather } from './measured.ts';
import type { Panel } from './panel.ts';
import { patterns } from './patterns.ts';
import { regionStrip } from './strips.ts';
import { AT, LOCALE, quoted, REGION } from './subject.ts';
import { UNIT } from './units.ts';
import { chosen, datasource, locale, POSTGRES } from './variables.ts';
import { windows } from './windows.ts';

const current = `from api.region_current(${AT}, ${quoted('region')}) c`;

const indices = `from api.region_now(${AT}, ${quoted('region')}) n`;

/** Regions with their titles, without a `where`. */
const choice = `select r.slug as __value, t.title as __text from api.region r join api.region_title t on t.region_slug = r.slug and t.locale = ${LOCALE}`;

const health: Shown[] = [
  {
    title: 'PM2.5, 24-hour mean',
    description:
      'Mean of the last 24 closed hours, of which at least 18 have data. Red above the WHO guideline of 15 µg/m³.',
    column: 'c."who_daily_pm2.5"',
    unit: UNIT.concentration,
    decimals: 1,
    steps: limit(15.05),
    w: 4,
  },
  {
    title: 'Times the daily guideline',
    description: 'Ratio of the 24-hour mean to the WHO guideline of 15 µg/m³; empty up to 15 % above it.',
    column: 'c.who_daily_exceedance',
    unit: UNIT.times,
    decimals: 1,
    w: 4,
  },
  {
    title: 'PM2.5, annual mean',
    description: 'Mean of the last 365 completed days. Red above the WHO guideline of 5 µg/m³.',
    column: 'c."who_year_pm2.5"',
    unit: UNIT.concentration,
    decimals: 1,
    steps: limit(5.05),
    w: 4,
  },
  {
    title: 'Times the annual guideline',
    description: 'Ratio of the annual mean to the WHO guideline of 5 µg/m³; empty up to 15 % above it.',
    column: 'c.who_yearly_exceedance',
    unit: UNIT.times,
    decimals: 1,
    w: 4,
  },
  {
    title: 'Days above 15 µg/m³',
    description: 'Days of the last 365 completed ones with a mean PM2.5 above 15 µg/m³.',
    column: 'c."who_pm2.5_exceedance_days"',
    unit: UNIT.days,
    decimals: 0,
    w: 4,
  },
  {
    title: 'Cigarettes per month',
    description: 'PM2.5 exposure over 30 days, in cigarettes: mean × 30 / 22.',
    column: 'c.month_cigarettes',
    unit: UNIT.none,
    decimals: 1,
    w: 4,
  },
];

const now: Panel[] = numbers(current, [
  ...CURRENT,
  {
    title: 'Stations',
    description:
      'Online stations in the digest behind these values, which is up to half an hour older than the end of the time range.',
    column: 'c.station_count',
    unit: UNIT.none,
    w: 2,
  },
]);

export const region = dashboard({
  uid: 'airseries-region',
  title: 'City / district',
  description: 'One city or district: its current values, WHO figures, the five windows of the API, and its stations.',
  from: 'now-30d',
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
    { panels: [...now, ...numbers(indices, INDICES), regionStrip] },
    { heading: 'PM2.5 and health', panels: numbers(current, health) },
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
