/** One city or district: what its air is now, what the WHO would say of it, the five windows, and everything over the chosen time. */
import { limit } from './colours.ts';
import { CURRENT, numbers, type Shown, stationsTable } from './current.ts';
import { dashboard } from './dashboard.ts';
import { air, coverage, weather } from './measured.ts';
import type { Panel } from './panel.ts';
import { LOCALE, quoted, REGION } from './place.ts';
import { AT } from './targets.ts';
import { UNIT } from './units.ts';
import { chosen, datasource, locale, POSTGRES } from './variables.ts';
import { windows } from './windows.ts';

const current = `from api.region_current(${AT}, ${quoted('place')}) c`;

/** Regions by name; what follows says which. */
const choice = `select r.slug as __value, t.title as __text from api.region r join api.region_title t on t.region_slug = r.slug and t.locale = ${LOCALE}`;

const health: Shown[] = [
  {
    title: 'PM2.5, mean of 24 hours',
    description: 'Mean of the last 24 closed hours, at least 18 of them. Red above the guideline of the WHO, 15 µg/m³.',
    column: 'c."who_daily_pm2.5"',
    unit: UNIT.concentration,
    decimals: 1,
    steps: limit(15.05),
    w: 4,
  },
  {
    title: 'Times the daily guideline',
    description: 'How many times the mean of 24 hours is the 15 µg/m³ of the WHO; none up to 15 % above it.',
    column: 'c.who_daily_exceedance',
    unit: UNIT.times,
    decimals: 1,
    w: 4,
  },
  {
    title: 'PM2.5, mean of a year',
    description: 'Mean of the last 365 completed days. Red above the guideline of the WHO, 5 µg/m³.',
    column: 'c."who_year_pm2.5"',
    unit: UNIT.concentration,
    decimals: 1,
    steps: limit(5.05),
    w: 4,
  },
  {
    title: 'Times the yearly guideline',
    description: 'How many times the mean of a year is the 5 µg/m³ of the WHO; none up to 15 % above it.',
    column: 'c.who_yearly_exceedance',
    unit: UNIT.times,
    decimals: 1,
    w: 4,
  },
  {
    title: 'Days above 15 µg/m³',
    description: 'Days with a mean PM2.5 above 15 µg/m³ among the last 365 completed ones.',
    column: 'c."who_pm2.5_exceedance_days"',
    unit: UNIT.days,
    decimals: 0,
    w: 4,
  },
  {
    title: 'Cigarettes a month',
    description: 'The exposure to PM2.5 of 30 days as cigarettes: mean × 30 / 22.',
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
      'Online stations in the digest that these values are from, made up to half an hour before the end of the time range.',
    column: 'c.station_count',
    unit: UNIT.none,
  },
]);

const stations = coverage(REGION, {
  title: 'Stations in the mean',
  what: 'How many stations each bucket was made from; of days and months the mean of their hours.',
  column: { stations: 'b.station_count' },
});

export const region = dashboard({
  uid: 'airseries-place',
  title: 'City / district',
  description: 'One city or district: its current values, WHO figures, the five windows of the API, and its stations.',
  from: 'now-7d',
  variables: [
    datasource(POSTGRES),
    locale,
    chosen('city', 'City', `${choice} where r.kind = 'city' order by 2`),
    chosen(
      'place',
      'City or district',
      `${choice} where r.slug = ${quoted('city')} or r.city_slug = ${quoted('city')} order by r.kind, 2`,
    ),
  ],
  sections: [
    { panels: now },
    { heading: 'PM2.5 and health', panels: numbers(current, health) },
    { heading: 'PM2.5 in the five windows', panels: windows(REGION) },
    { heading: 'Air', panels: air(REGION) },
    { heading: 'Weather', panels: weather(REGION) },
    {
      heading: 'Stations',
      panels: [
        stations,
        stationsTable(
          'Its stations',
          'Listed stations of the city or district.',
          ` and ${quoted('place')} in (c.city_slug, c.district_slug)`,
          12,
        ),
      ],
    },
  ],
});
