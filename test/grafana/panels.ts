/**
 * The rows that each panel with SQL shows of the network in town.ts. Nothing else names a panel:
 * panels.test.ts, traps.test.ts and dashboards.test.ts hold for all panels. For a panel without a row,
 * panels.test.ts prints the row to paste here.
 */
import type { Values } from './dashboards.ts';

/**
 * The panel (with its query, if it has several), what the user has chosen, how many rows come back,
 * and some of these, each with some of its columns. `at` as a choice is the end of the time range.
 */
export type Row = readonly [
  panel: string,
  chosen: Values,
  count: number,
  ...some: Readonly<Record<string, unknown>>[],
];

const city = (slug: string) => ({ city: slug, region: slug });
const alder = (station: string) => ({ ...city('alder'), station });
/** Where Lime Street is the only station, so station and city show the same. */
export const BIRCH = { ...city('birch'), station: '9' };
const SMOKY = { ...city('smoky'), station: '12' };
const WINDY = { ...city('windy'), station: '13' };
const EMPTY = { ...city('empty'), station: '15' };

/** The last day that is over, the hour that is not, and the newest reading. */
const THURSDAY = '2026-11-18T20:00:00+00:00';
const RUNNING_HOUR = '2026-11-20T12:00:00+00:00';
const NEWEST = '2026-11-20T12:30:00+00:00';

const STRUCK = '{"textDecoration": "line-through"}';
/** As it stands in titles of Compare. */
const PARAMETER = `$\{parameter:text}`;

const tiles = (shown: Record<string, string | number>) =>
  Object.entries(shown).map(([name, value]) => ({ name, value }));

/** On the dashboards of a station and of a region. */
const OF_BOTH: readonly Row[] = [
  [
    'Indices',
    BIRCH,
    6,
    ...tiles({
      AQI: '259 · Very unhealthy',
      'NowCast AQI': '258 · Very unhealthy',
      'European index': 'extremely poor',
      'PM2.5, European': 'extremely poor',
      'O₃, European': 'good',
      'NO₂, European': 'moderate',
    }),
  ],
  // what is not measured has no tile
  [
    'Indices',
    WINDY,
    3,
    ...tiles({ 'European index': 'moderate', 'O₃, European': 'good', 'NO₂, European': 'moderate' }),
  ],
  ['Indices', EMPTY, 0],
  [
    'PM2.5, 24 hours',
    BIRCH,
    24,
    { time: '2026-11-19T12:00:00+00:00', mean: 94 },
    { time: '2026-11-20T11:00:00+00:00', mean: 184 },
  ],
  ['PM2.5, 7 days', BIRCH, 168, { time: '2026-11-13T12:00:00+00:00', mean: 94 }],
  [
    'PM2.5, 30 days',
    BIRCH,
    30,
    { time: THURSDAY, mean: 92, 'lowest hour': 90, 'highest hour': 94 },
    { time: THURSDAY, 'WHO guideline, 24 hours': 15 },
  ],
  // December: five times the six days, and 182
  [
    'PM2.5, 1 year',
    BIRCH,
    12,
    { time: '2025-11-30T20:00:00+00:00', mean: 111, 'lowest hour': 5, 'highest hour': 304 },
    { time: '2025-11-30T20:00:00+00:00', 'WHO guideline, a year': 5 },
  ],
  ['PM2.5, 2 years', BIRCH, 14, { time: '2025-11-30T20:00:00+00:00', mean: 111 }],
  [
    'Air quality index',
    BIRCH,
    29,
    { time: '2026-11-14T20:00:00+00:00', Hazardous: 500, Good: null },
    { time: '2026-11-15T20:00:00+00:00', Good: 39, Moderate: null },
    { time: '2026-11-17T20:00:00+00:00', 'Unhealthy for sensitive groups': 129, Good: null },
    { time: THURSDAY, Unhealthy: 177, 'Very unhealthy': null },
  ],
  ['Particles', BIRCH, 30, { time: THURSDAY, PM1: 46, 'PM2.5': 92, PM10: 184, dust: 276 }],
  ['Gases', BIRCH, 30, { time: THURSDAY, 'NO₂': 20, 'SO₂': 5, 'O₃': 60 }],
  ['Radiation and UV', BIRCH, 30, { time: THURSDAY, 'dose rate': 0.1, 'UV index': 1.5 }],
  // the 20th is not over
  [
    'Calendar of daily PM2.5',
    BIRCH,
    12 * 31,
    { month: 'Dec 2025', day: 1, 'PM2.5': 182 },
    { month: 'Nov 2026', day: 19, 'PM2.5': 92 },
    { month: 'Nov 2026', day: 20, 'PM2.5': null },
  ],
  [
    'This month and a year ago',
    BIRCH,
    30,
    { day: 19, 'this month': 92, 'a year ago': 182 },
    { day: 20, 'this month': null, 'a year ago': 302 },
  ],
  ['Daily profile', SMOKY, 24, { hour: 0, 'Monday to Friday': 30, weekend: 40 }],
  [
    'Pollution rose as bars',
    BIRCH,
    16,
    { from: 'N', Good: 5, Moderate: 10, 'Unhealthy for sensitive groups': 5, Unhealthy: 10 },
    { from: 'N', 'Very unhealthy': 5, Hazardous: 10 },
  ],
  ['Temperature and its range', BIRCH, 30, { time: THURSDAY, mean: 20, 'lowest hour': 15 }],
  ['Humidity and pressure', BIRCH, 30, { time: THURSDAY, humidity: 50, pressure: 950 }],
  ['Rain', BIRCH, 29, { time: THURSDAY, rain: 12 }],
  ['Wind speed and its range', BIRCH, 30, { time: THURSDAY, mean: 3.3, 'highest hour': 6 }],
  ['Wind direction', BIRCH, 30, { time: THURSDAY, direction: 11 }],
  ['Wind rose as bars', BIRCH, 16, { from: 'N', '0.5 to 2 m/s': 15, '5 m/s and more': 15 }],
  // a day with 17 of its 24 hours (A11)
  [
    'Completeness by day',
    BIRCH,
    30,
    { time: '2026-11-08T20:00:00+00:00', completeness: 100, incomplete: null },
    { time: '2026-11-09T20:00:00+00:00', completeness: null, incomplete: 1700 / 24 },
  ],
];

/** The current values of the station and of its city, which has no other. */
const NOW_IN_BIRCH = {
  'PM2.5': 184,
  PM10: 368,
  'PM2.5, NowCast': 182.7,
  'PM10, NowCast': 365,
  'NO₂': 20,
  Temperature: 25,
  Humidity: 50,
  Pressure: 950,
};

export const PANELS: Readonly<Record<string, readonly Row[]>> = {
  network: [
    ['Online', {}, 1, { value: 14 }],
    ['Offline', {}, 1, { value: 2 }],
    // Dock once, though offline and flagged, Forge, Garden, Harbour, Inn; Empty never measured
    ['Need attention', {}, 1, { value: 5 }],
    ['Highest AQI of any city', {}, 1, { value: '259 · Very unhealthy' }],
    // Alder, Birch, Dusty and Smoky
    ['Cities above WHO', {}, 1, { value: 4 }],
    // before the first reading no city has a mean
    ['Cities above WHO', { at: '2025-08-01T00:00:00Z' }, 1, { value: null }],
    ['Aggregates behind by', {}, 1, { value: 0 }],
    [
      'Stations by AQI',
      {},
      16,
      { station: 'Lime Street', city: 'Birch', latitude: 40.009, longitude: 44 },
      { station: 'Lime Street', AQI: '259 · Very unhealthy', index: 259, label: '259' },
      { station: 'Lime Street', 'PM2.5': 184, temperature: 25, measured: NEWEST, id: '9' },
      { station: 'Dock', status: 'offline, flagged', AQI: null, label: '–', measured: null },
      { station: 'Forge', status: 'online, flagged' },
      { station: 'Inn', status: 'online, PM suspect' },
      { station: 'In Hidden', city: null, city_slug: '-' },
    ],
    [
      'Cities by AQI',
      {},
      8,
      { city: 'Birch', AQI: '259 · Very unhealthy', 'PM2.5': 184, '24 h': 152, slug: 'birch' },
      { city: 'Empty', AQI: null, 'PM2.5': null, '24 h': null },
    ],
    // Inn since the test, not since the operator
    [
      'Stations that need attention',
      {},
      6,
      { station: 'Dock', what: 'offline', city: 'Alder', since: '2026-11-14T12:30:00+00:00' },
      { station: 'Garden', what: 'particles', since: '2026-11-19T06:34:56+00:00' },
      {
        station: 'Garden',
        detail:
          'suspect, still in the mean of its city: outlier, 60.5 µg/m³, median of 1 neighbours 12.3',
      },
      { station: 'Inn', what: 'particles', since: '2026-11-19T06:34:56+00:00' },
      { what: 'weather', station: 'Dock', detail: 'temperature, humidity, pressure: operator' },
      { station: 'Forge', what: 'weather', since: null },
      { station: 'Harbour', detail: 'temperature, humidity, pressure: zero values of sensor 5' },
    ],
    [
      'AQI of the cities, hour by hour',
      {},
      168,
      { time: RUNNING_HOUR, row: 'Birch', AQI: '259 · Very unhealthy' },
    ],
    [
      'PM2.5 of the cities',
      {},
      168,
      { time: RUNNING_HOUR, line: '02', name: 'Birch', 'PM2.5': 184 },
    ],
    [
      'Stations that measured',
      {},
      168,
      { time: RUNNING_HOUR, line: '01', name: 'Alder', stations: 7 },
    ],
    [
      'Stations',
      {},
      16,
      { station: 'Bridge', city: 'Alder', district: 'Mill', status: 'online' },
      { station: 'Bridge', AQI: '62 · Moderate', 'PM2.5': 15, PM10: 30, temperature: 25 },
      { station: 'Bridge', humidity: 50, pressure: 950, style: null, wind: 3, from: 'ESE' },
      { station: 'Dock', status: 'offline, flagged', 'PM2.5': null, style: STRUCK },
      { station: 'Forge', status: 'online, flagged', style: STRUCK },
      { station: 'Inn', status: 'online, PM suspect', style: null },
    ],
  ],
  station: [
    ...OF_BOTH,
    [
      'Particles',
      BIRCH,
      30,
      { time: THURSDAY, PM1: 46, 'PM2.5': 92, 'PM2.5 uncorrected': 93, PM10: 184, dust: 276 },
    ],
    // it measures no wind, so its city's wind is taken
    ['Pollution rose as bars', alder('8'), 16, { from: 'N', Moderate: 15, Good: 0 }],
    // its first day counts from its first hour on (A11)
    [
      'Completeness by day',
      alder('8'),
      10,
      { time: '2026-11-09T20:00:00+00:00', completeness: 100 },
    ],
    // and not the import of the whole history
    [
      'Changes',
      BIRCH,
      2,
      { text: 'recomputed on 2026-11-11: version', tags: 'version' },
      { time: '2026-11-01T20:00:00+00:00', timeend: '2026-11-03T20:00:00+00:00' },
      { text: 'recomputed on 2026-11-05: placement (sensors 9)', tags: 'placement' },
    ],
    ['Changes', SMOKY, 1, { tags: 'version' }],
    ['Changes', { ...BIRCH, at: '2026-11-03T19:59:59Z' }, 2, { tags: 'placement' }],
    ['Flags', BIRCH, 0],
    [
      'Flags',
      alder('6'),
      2,
      { time: '2026-11-19T06:34:56+00:00', timeend: '2026-11-20T12:34:56+00:00' },
      { time: '2026-11-19T06:34:56+00:00', text: 'particles flagged: outlier', tags: 'outlier' },
      { time: '2026-11-20T11:34:56+00:00', text: 'particles flagged: operator' },
    ],
    ['Flags', alder('3'), 1, { text: 'temperature, humidity and pressure flagged: operator' }],
    ['Current values', BIRCH, 9, ...tiles({ ...NOW_IN_BIRCH, 'Wind from ESE': 3 })],
    ['Current values', EMPTY, 0],
    [
      'Station',
      { ...alder('1'), locale: 'ru' },
      1,
      { station: 'Bridge (ru)', city: 'Ольха', district: 'Мельница', provider: 'roofs' },
      { station: 'Bridge (ru)', status: 'online', measured: NEWEST },
      { station: 'Bridge (ru)', particles: 'not flagged' },
    ],
    ['Station', alder('3'), 1, { 'temperature, humidity and pressure': 'flagged: operator' }],
    [
      'Station',
      alder('6'),
      1,
      { particles: 'flagged: outlier since 2026-11-19 10:34, operator since 2026-11-20 15:34' },
    ],
    [
      'Sensors',
      BIRCH,
      1,
      { sensor: '9', kind: 'SPS30', device: 'device-9', altitude: 500 },
      { sensor: '9', 'first reading': '2025-10-21T17:30:00+00:00', 'newest reading': NEWEST },
      { sensor: '9', suspicious: false },
    ],
    // the same temperature at all of its neighbours
    [
      'Clock',
      alder('1'),
      1,
      // the thermometer of a neighbour is flagged
      { by: 'PM2.5', hours: 690, 'r as it is': 0.996, 'best r': 0.996, 'fits best': 'as it is' },
    ],
    [
      'Clock',
      alder('7'),
      1,
      { 'fits best': '1 h earlier, clearly: stamps at the end, or the zone?' },
    ],
    [
      'Clock',
      EMPTY,
      1,
      {
        by: null,
        'fits best': 'not known: there are no two such neighbours, or fewer than 200 hours',
      },
    ],
    [
      'AQI, hour by hour',
      alder('1'),
      144,
      { time: RUNNING_HOUR, row: 'this station', AQI: '62 · Moderate' },
      { time: RUNNING_HOUR, row: 'its city', AQI: '69 · Moderate' },
    ],
    ['Sensors in the mean', BIRCH, 29, { time: THURSDAY, sensors: 1 }],
  ],
  region: [
    [
      'Changes',
      BIRCH,
      2,
      { text: 'recomputed on 2026-11-11: version', tags: 'version' },
      { text: 'recomputed on 2026-11-05: placement (stations 9)' },
    ],
    ...OF_BOTH,
    ['Current values', BIRCH, 9, ...tiles({ ...NOW_IN_BIRCH, Stations: 1 })],
    ['Current values', EMPTY, 0],
    [
      'AQI of the stations, hour by hour',
      BIRCH,
      48,
      { time: RUNNING_HOUR, row: 'Lime Street', AQI: '259 · Very unhealthy' },
    ],
    // within the guideline, above it and unknown are told apart, as the API cannot (W3)
    [
      'PM2.5, guideline of the WHO, cigarettes',
      city('clean'),
      4,
      ...tiles({
        '24-hour mean': '15.0 µg/m³ · within the guideline',
        'Mean of 365 days': '15.0 µg/m³ · 3 times the guideline',
        'Days above 15 µg/m³, of those measured': '0 of 365',
        'Cigarettes per month': '20.5',
      }),
    ],
    [
      'PM2.5, guideline of the WHO, cigarettes',
      city('dusty'),
      4,
      ...tiles({
        '24-hour mean': '16.0 µg/m³ · up to 15 % above the guideline',
        'Days above 15 µg/m³, of those measured': '365 of 365',
      }),
    ],
    [
      'PM2.5, guideline of the WHO, cigarettes',
      city('ended'),
      4,
      ...tiles({
        '24-hour mean': 'no data',
        'Mean of 326 days': '40.0 µg/m³ · 8 times the guideline',
        'Cigarettes per month': 'no data',
      }),
    ],
    ['PM2.5, guideline of the WHO, cigarettes', WINDY, 0],
    ['Stations in the mean', BIRCH, 29, { time: THURSDAY, stations: 1 }],
    [
      'Listed stations',
      { city: 'alder', region: 'mill', locale: 'hy' },
      2,
      { station: 'Bridge (hy)', city: 'Լաստան', district: 'Ջրաղաց', status: 'online' },
      { station: 'Bridge (hy)', AQI: '62 · Moderate', 'PM2.5': 15, wind: 3, from: 'ESE' },
      { station: 'Dock (hy)', status: 'offline, flagged' },
    ],
  ],
  compare: [
    // its history was imported, and is no change
    ['Changes', { city: 'birch' }, 0],
    [
      'Changes',
      { city: 'birch', at: '2026-11-03T12:00:00Z' },
      2,
      { text: 'recomputed on 2026-11-05: placement (Lime Street)' },
      { text: 'recomputed on 2026-11-11: version' },
    ],
    [
      `Ranking by ${PARAMETER}`,
      city('alder'),
      8,
      { station: 'Kiln', rank: 1, mean: 20, bar: 1, 'lowest day': 20, 'highest day': 20.1 },
      { station: 'Kiln', complete: 100, style: null, id: '8', city_slug: 'alder' },
      { rank: 3, station: 'Inn (flagged)', mean: 18, bar: 0.9, style: STRUCK },
      { rank: 4, station: 'Harbour', mean: 17, bar: 0.85, style: null },
      { rank: 8, station: 'Bridge', mean: 13, bar: 0.65 },
    ],
    [
      `Ranking by ${PARAMETER}`,
      { city: 'alder', station: ['1', '3', '6'], parameter: 'avg_temperature' },
      3,
      { rank: 1, station: 'Bridge', style: null },
      { rank: 1, station: 'Forge (flagged)', style: STRUCK },
      { rank: 1, station: 'Inn', style: null },
    ],
    // the band is of all that are chosen, the lines are of six
    [
      `${PARAMETER} of the highest 6`,
      city('alder'),
      168,
      { time: '2026-11-13T13:00:00+00:00', lowest: 15, highest: 22 },
      { time: '2026-11-13T16:00:00+00:00', lowest: 11, highest: 21 },
    ],
    [
      `${PARAMETER} of the highest 6, query B`,
      city('alder'),
      1008,
      { time: '2026-11-13T13:00:00+00:00', line: '06', name: 'Kiln', value: 22 },
    ],
    [
      'AQI of the stations, hour by hour',
      city('alder'),
      336,
      { time: RUNNING_HOUR, row: 'Bridge', AQI: '62 · Moderate' },
    ],
  ],
};
