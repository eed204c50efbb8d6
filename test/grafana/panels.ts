/**
 * What each panel with SQL shows of the network in town.ts: one row here for each panel, and nothing
 * else names one. To add a panel, run panels.test.ts: it prints the row that is missing. Paste it,
 * keep the rows that say something, and check their numbers by hand.
 */
import type { Values } from './dashboards.ts';

export type Shown = {
  /** What the user has chosen; default: station 9 and its city, Birch. */
  chosen?: Values;
  /** The end of the time range; default: `NOW`. */
  at?: string;
  /** The query, of a panel with several; default: `A`. */
  query?: string;
  /** How many rows the query returns. */
  rows: number;
  /** Some of them, with some of their columns. */
  some: readonly Readonly<Record<string, unknown>>[];
};

/** Where Lime Street is the only station, so station and city show the same. */
export const BIRCH: Values = { city: 'birch', region: 'birch', station: '9' };
const alder = (station: string) => ({ city: 'alder', region: 'alder', station });
const city = (slug: string) => ({ city: slug, region: slug });

const STRUCK = JSON.stringify({ textDecoration: 'line-through' }).replace(':', ': ');

/** On the dashboards of a station and of a region. */
const OF_BOTH: Readonly<Record<string, readonly Shown[]>> = {
  Indices: [
    {
      rows: 6,
      some: [
        { name: 'AQI', value: '259 · Very unhealthy' },
        { name: 'NowCast AQI', value: '258 · Very unhealthy' },
        { name: 'European index', value: 'extremely poor' },
        { name: 'PM2.5, European', value: 'extremely poor' },
        { name: 'O₃, European', value: 'good' },
        { name: 'NO₂, European', value: 'moderate' },
      ],
    },
    // what is not measured has no tile
    {
      chosen: { ...city('windy'), station: '13' },
      rows: 3,
      some: [
        { name: 'European index', value: 'moderate' },
        { name: 'O₃, European', value: 'good' },
        { name: 'NO₂, European', value: 'moderate' },
      ],
    },
    { chosen: { ...city('empty'), station: '15' }, rows: 0, some: [] },
  ],
  'PM2.5, 24 hours': [
    {
      rows: 24,
      some: [
        { time: '2026-11-19T12:00:00+00:00', mean: 94 },
        { time: '2026-11-20T11:00:00+00:00', mean: 184 },
      ],
    },
  ],
  'PM2.5, 7 days': [{ rows: 168, some: [{ time: '2026-11-13T12:00:00+00:00', mean: 94 }] }],
  'PM2.5, 30 days': [
    {
      rows: 30,
      some: [
        {
          time: '2026-11-18T20:00:00+00:00',
          mean: 92,
          'lowest hour': 90,
          'highest hour': 94,
          'WHO guideline, 24 hours': 15,
        },
      ],
    },
  ],
  'PM2.5, 1 year': [
    {
      rows: 12,
      some: [
        {
          time: '2025-11-30T20:00:00+00:00', // five times six days, and 182: 31 days
          mean: 111,
          'lowest hour': 5,
          'highest hour': 304,
          'WHO guideline, a year': 5,
        },
      ],
    },
  ],
  'PM2.5, 2 years': [
    {
      rows: 14, // all that there are
      some: [
        {
          time: '2025-11-30T20:00:00+00:00',
          mean: 111,
          'lowest hour': 5,
          'highest hour': 304,
          'WHO guideline, a year': 5,
        },
      ],
    },
  ],
  'Air quality index': [
    {
      rows: 29,
      some: [
        { time: '2026-10-21T20:00:00+00:00', Unhealthy: null, Hazardous: 500 },
        { time: '2026-11-14T20:00:00+00:00', Hazardous: 500, Good: null },
        { time: '2026-11-15T20:00:00+00:00', Good: 39, Moderate: null },
        { time: '2026-11-16T20:00:00+00:00', Moderate: 75, Good: null },
        { time: '2026-11-17T20:00:00+00:00', 'Unhealthy for sensitive groups': 129, Good: null },
        { time: '2026-11-18T20:00:00+00:00', Unhealthy: 177, 'Very unhealthy': null },
      ],
    },
  ],
  Particles: [
    {
      rows: 30,
      some: [{ time: '2026-11-18T20:00:00+00:00', PM1: 46, 'PM2.5': 92, PM10: 184, dust: 276 }],
    },
  ],
  Gases: [
    { rows: 30, some: [{ time: '2026-11-18T20:00:00+00:00', 'NO₂': 20, 'SO₂': 5, 'O₃': 60 }] },
  ],
  'Radiation and UV': [
    { rows: 30, some: [{ time: '2026-11-18T20:00:00+00:00', 'dose rate': 0.1, 'UV index': 1.5 }] },
  ],
  'Calendar of daily PM2.5': [
    {
      rows: 12 * 31,
      some: [
        { month: 'Dec 2025', day: 1, 'PM2.5': 182 },
        { month: 'Nov 2026', day: 19, 'PM2.5': 92 },
        { month: 'Nov 2026', day: 20, 'PM2.5': null }, // it is not over
        { month: 'Nov 2026', day: 31, 'PM2.5': null },
      ],
    },
  ],
  'This month and a year ago': [
    {
      rows: 30,
      some: [
        { day: 19, 'this month': 92, 'a year ago': 182 },
        { day: 20, 'this month': null, 'a year ago': 302 },
      ],
    },
  ],
  'Daily profile': [
    {
      chosen: { ...city('smoky'), station: '12' },
      rows: 24,
      some: [{ hour: 0, 'Monday to Friday': 30, weekend: 40 }],
    },
  ],
  'Pollution rose as bars': [
    {
      rows: 16,
      some: [
        {
          from: 'N',
          Good: 5,
          Moderate: 10,
          'Unhealthy for sensitive groups': 5,
          Unhealthy: 10,
          'Very unhealthy': 5,
          Hazardous: 10,
        },
      ],
    },
  ],
  'Temperature and its range': [
    {
      rows: 30,
      some: [
        { time: '2026-11-18T20:00:00+00:00', mean: 20, 'lowest hour': 15, 'highest hour': 25 },
      ],
    },
  ],
  'Humidity and pressure': [
    { rows: 30, some: [{ time: '2026-11-18T20:00:00+00:00', humidity: 50, pressure: 950 }] },
  ],
  Rain: [{ rows: 29, some: [{ time: '2026-11-18T20:00:00+00:00', rain: 12 }] }],
  'Wind speed and its range': [
    {
      rows: 30,
      some: [{ time: '2026-11-18T20:00:00+00:00', mean: 3.3, 'lowest hour': 1, 'highest hour': 6 }],
    },
  ],
  'Wind direction': [{ rows: 30, some: [{ time: '2026-11-18T20:00:00+00:00', direction: 11 }] }],
  'Wind rose as bars': [
    {
      rows: 16,
      some: [{ from: 'N', '0.5 to 2 m/s': 15, '2 to 5 m/s': 15, '5 m/s and more': 15 }],
    },
  ],
  'Completeness by day': [
    {
      rows: 30,
      some: [
        { time: '2026-11-08T20:00:00+00:00', completeness: 100, incomplete: null },
        { time: '2026-11-09T20:00:00+00:00', completeness: null, incomplete: 1700 / 24 }, // A11
      ],
    },
  ],
};

export const PANELS: Readonly<Record<string, Readonly<Record<string, readonly Shown[]>>>> = {
  network: {
    Online: [{ rows: 1, some: [{ value: 14 }] }],
    Offline: [{ rows: 1, some: [{ value: 2 }] }],
    // Dock, Forge, Garden, Harbour, Inn; In Empty has never measured
    'Need attention': [{ rows: 1, some: [{ value: 5 }] }],
    'Highest AQI of any city': [{ rows: 1, some: [{ value: '259 · Very unhealthy' }] }],
    'Cities above WHO': [
      { rows: 1, some: [{ value: 4 }] }, // Alder, Birch, Dusty, Smoky
      { at: '2025-08-01T00:00:00Z', rows: 1, some: [{ value: null }] }, // no city has a mean
    ],
    'Aggregates behind by': [{ rows: 1, some: [{ value: 0 }] }],
    'Stations by AQI': [
      {
        rows: 16,
        some: [
          {
            station: 'Lime Street',
            city: 'Birch',
            latitude: 40.009,
            longitude: 44,
            AQI: '259 · Very unhealthy',
            index: 259,
            label: '259',
            'PM2.5': 184,
            temperature: 25,
            measured: '2026-11-20T12:30:00+00:00',
            id: '9',
            city_slug: 'birch',
          },
          { station: 'Dock', status: 'offline', AQI: null, label: '–', measured: null },
          { station: 'Forge', status: 'online, flagged' },
          { station: 'Inn', status: 'online, PM suspect' },
          { station: 'In Hidden', city: null, city_slug: '-' },
        ],
      },
    ],
    'Cities by AQI': [
      {
        rows: 8,
        some: [
          { city: 'Birch', AQI: '259 · Very unhealthy', 'PM2.5': 184, '24 h': 152, slug: 'birch' },
          { city: 'Empty', AQI: null, 'PM2.5': null, '24 h': null },
        ],
      },
      { chosen: { locale: 'hy' }, rows: 8, some: [{ city: 'Կեչի', slug: 'birch' }] },
    ],
    'Stations that need attention': [
      {
        rows: 5,
        some: [
          {
            what: 'offline',
            station: 'Dock',
            city: 'Alder',
            since: '2026-11-14T12:30:00+00:00',
            detail: 'no current reading',
            id: '2',
            city_slug: 'alder',
          },
          {
            what: 'particles',
            station: 'Garden',
            since: '2026-11-19T06:34:56+00:00',
            detail:
              'left out of the mean of its city: outlier, 60.5 µg/m³, median of 1 neighbours 12.3',
          },
          {
            what: 'particles',
            station: 'Inn',
            since: '2026-11-19T06:34:56+00:00', // of the test, not of the operator
            detail:
              'left out of the mean of its city: operator; outlier, 60.5 µg/m³, median of 1 neighbours 12.3',
          },
          {
            what: 'weather',
            station: 'Forge',
            since: null,
            detail: 'temperature, humidity, pressure: operator',
          },
          {
            what: 'weather',
            station: 'Harbour',
            since: '2026-11-19T06:34:56+00:00',
            detail: 'temperature, humidity, pressure: zero values of sensor 5',
          },
        ],
      },
    ],
    'AQI of the cities, hour by hour': [
      {
        rows: 7 * 24, // Empty has none
        some: [
          { time: '2026-11-20T12:00:00+00:00', row: 'Birch', AQI: '259 · Very unhealthy' },
          { time: '2026-11-20T12:00:00+00:00', row: 'Windy', AQI: null },
        ],
      },
    ],
    'PM2.5 of the cities': [
      {
        rows: 7 * 24,
        some: [{ time: '2026-11-20T12:00:00+00:00', line: '02', name: 'Birch', 'PM2.5': 184 }],
      },
    ],
    'Stations that measured': [
      {
        rows: 7 * 24,
        some: [{ time: '2026-11-20T12:00:00+00:00', line: '01', name: 'Alder', stations: 7 }],
      },
    ],
    Stations: [
      {
        rows: 16,
        some: [
          {
            station: 'Bridge',
            city: 'Alder',
            district: 'Mill',
            status: 'online',
            AQI: '62 · Moderate',
            'PM2.5': 15,
            PM10: 30,
            temperature: 25,
            humidity: 50,
            pressure: 950,
            style: null,
            wind: 3,
            from: 'ESE',
            measured: '2026-11-20T12:30:00+00:00',
            id: '1',
            city_slug: 'alder',
          },
          { station: 'Dock', status: 'offline', 'PM2.5': null, style: null },
          { station: 'Forge', status: 'online, flagged', style: STRUCK },
          { station: 'Harbour', status: 'online, flagged', style: STRUCK },
          { station: 'Inn', status: 'online, PM suspect', style: null },
        ],
      },
    ],
  },
  station: {
    ...OF_BOTH,
    Flags: [
      { rows: 0, some: [] },
      {
        chosen: alder('6'),
        rows: 2,
        some: [
          {
            time: '2026-11-19T06:34:56+00:00',
            timeend: '2026-11-20T12:34:56+00:00',
            text: 'particles flagged: outlier',
            tags: 'outlier',
          },
          { time: '2026-11-20T11:34:56+00:00', text: 'particles flagged: operator' },
        ],
      },
      {
        chosen: alder('3'),
        rows: 1,
        some: [{ text: 'temperature, humidity and pressure flagged: operator' }],
      },
    ],
    'Current values': [
      {
        rows: 9,
        some: [
          { name: 'PM2.5', value: 184 },
          { name: 'PM10', value: 368 },
          { name: 'PM2.5, NowCast', value: 182.7 },
          { name: 'PM10, NowCast', value: 365 },
          { name: 'NO₂', value: 20 },
          { name: 'Temperature', value: 25 },
          { name: 'Humidity', value: 50 },
          { name: 'Pressure', value: 950 },
          { name: 'Wind from ESE', value: 3 },
        ],
      },
      { chosen: { city: 'empty', station: '15' }, rows: 0, some: [] },
    ],
    Station: [
      {
        chosen: { ...alder('1'), locale: 'ru' },
        rows: 1,
        some: [
          {
            station: 'Bridge (ru)',
            city: 'Ольха',
            district: 'Мельница',
            provider: 'roofs',
            status: 'online',
            measured: '2026-11-20T12:30:00+00:00',
            'temperature, humidity and pressure': 'not flagged',
            particles: 'not flagged',
          },
        ],
      },
      {
        chosen: alder('3'),
        rows: 1,
        some: [{ 'temperature, humidity and pressure': 'flagged: operator' }],
      },
      {
        chosen: alder('6'),
        rows: 1,
        some: [
          {
            particles: 'flagged: outlier since 2026-11-19 10:34, operator since 2026-11-20 15:34', // local
          },
        ],
      },
    ],
    Sensors: [
      {
        rows: 1,
        some: [
          {
            sensor: '9',
            kind: 'SPS30',
            device: 'device-9',
            altitude: 500,
            'first reading': '2025-10-21T17:30:00+00:00',
            'newest reading': '2026-11-20T12:30:00+00:00',
            suspicious: false,
          },
        ],
      },
    ],
    Clock: [
      {
        chosen: alder('1'),
        rows: 1,
        some: [
          {
            by: 'temperature', // the same at all of its neighbours
            hours: 720,
            'r as it is': 1,
            'best r': 1,
            'fits best': 'as it is',
          },
        ],
      },
      {
        chosen: alder('7'),
        rows: 1,
        some: [{ 'fits best': '1 h earlier, clearly: stamps at the end, or the zone?' }],
      },
      {
        chosen: { city: 'windy', station: '13' },
        rows: 1,
        some: [
          {
            by: null,
            'fits best': 'not known: there are no two such neighbours, or fewer than 200 hours',
          },
        ],
      },
    ],
    'AQI, hour by hour': [
      {
        chosen: alder('1'),
        rows: 2 * 72,
        some: [
          { time: '2026-11-20T12:00:00+00:00', row: 'this station', AQI: '62 · Moderate' },
          { time: '2026-11-20T12:00:00+00:00', row: 'its city', AQI: '69 · Moderate' },
        ],
      },
    ],
    Particles: [
      {
        rows: 30,
        some: [
          {
            time: '2026-11-18T20:00:00+00:00',
            PM1: 46,
            'PM2.5': 92,
            'PM2.5 uncorrected': 93,
            PM10: 184,
            dust: 276,
          },
        ],
      },
    ],
    'Pollution rose as bars': [
      ...(OF_BOTH['Pollution rose as bars'] ?? []),
      // measures no wind: that of its city
      { chosen: alder('8'), rows: 16, some: [{ from: 'N', Moderate: 15, Good: 0 }] },
    ],
    'Sensors in the mean': [
      { rows: 29, some: [{ time: '2026-11-18T20:00:00+00:00', sensors: 1 }] },
    ],
    'Completeness by day': [
      ...(OF_BOTH['Completeness by day'] ?? []),
      // its first day counts from its first hour on
      {
        chosen: alder('8'),
        rows: 10,
        some: [{ time: '2026-11-09T20:00:00+00:00', completeness: 100 }],
      },
    ],
  },
  region: {
    ...OF_BOTH,
    'Current values': [
      {
        rows: 9,
        some: [
          { name: 'PM2.5', value: 184 },
          { name: 'PM10', value: 368 },
          { name: 'PM2.5, NowCast', value: 182.7 },
          { name: 'PM10, NowCast', value: 365 },
          { name: 'NO₂', value: 20 },
          { name: 'Temperature', value: 25 },
          { name: 'Humidity', value: 50 },
          { name: 'Pressure', value: 950 },
          { name: 'Stations', value: 1 },
        ],
      },
      { chosen: city('empty'), rows: 0, some: [] },
    ],
    'AQI of the stations, hour by hour': [
      {
        rows: 48,
        some: [
          { time: '2026-11-20T12:00:00+00:00', row: 'Lime Street', AQI: '259 · Very unhealthy' },
        ],
      },
    ],
    // within the guideline, above it and unknown are told apart, as the API cannot (W3)
    'PM2.5, guideline of the WHO, cigarettes': [
      {
        chosen: city('clean'),
        rows: 4,
        some: [
          { name: '24-hour mean', value: '15.0 µg/m³ · within the guideline' },
          { name: 'Mean of 365 days', value: '15.0 µg/m³ · 3 times the guideline' },
          { name: 'Days above 15 µg/m³, of those measured', value: '0 of 365' },
          { name: 'Cigarettes per month', value: '20.5' },
        ],
      },
      {
        chosen: city('dusty'),
        rows: 4,
        some: [
          { name: '24-hour mean', value: '16.0 µg/m³ · up to 15 % above the guideline' },
          { name: 'Days above 15 µg/m³, of those measured', value: '365 of 365' },
        ],
      },
      {
        chosen: city('smoky'),
        rows: 4,
        some: [{ name: '24-hour mean', value: '30.0 µg/m³ · 2 times the guideline' }],
      },
      {
        chosen: city('ended'),
        rows: 4,
        some: [
          { name: '24-hour mean', value: 'no data' },
          { name: 'Mean of 326 days', value: '40.0 µg/m³ · 8 times the guideline' },
          { name: 'Cigarettes per month', value: 'no data' },
        ],
      },
      { chosen: city('windy'), rows: 0, some: [] },
      { chosen: city('empty'), rows: 0, some: [] },
    ],
    'Stations in the mean': [
      { rows: 29, some: [{ time: '2026-11-18T20:00:00+00:00', stations: 1 }] },
    ],
    'Listed stations': [
      {
        chosen: { city: 'alder', region: 'mill', locale: 'hy' },
        rows: 2,
        some: [
          {
            station: 'Bridge (hy)',
            city: 'Լաստան',
            district: 'Ջրաղաց',
            status: 'online',
            AQI: '62 · Moderate',
            'PM2.5': 15,
            PM10: 30,
            temperature: 25,
            humidity: 50,
            pressure: 950,
            wind: 3,
            from: 'ESE',
            measured: '2026-11-20T12:30:00+00:00',
          },
          { station: 'Dock (hy)', status: 'offline' },
        ],
      },
      {
        chosen: city('alder'),
        rows: 8,
        some: [{ station: 'Forge', status: 'online, flagged', style: STRUCK }],
      },
    ],
  },
  compare: {
    [`Ranking by $\{parameter:text}`]: [
      {
        chosen: { city: 'alder' },
        rows: 8,
        some: [
          {
            rank: 1,
            station: 'Kiln',
            mean: 20,
            bar: 1,
            'lowest day': 20,
            'highest day': 20.1,
            complete: 100,
            style: null,
            id: '8',
            city_slug: 'alder',
          },
          { rank: 2, station: 'Jetty', mean: 19, bar: 0.95, style: null },
          { rank: 3, station: 'Inn (flagged)', mean: 18, bar: 0.9, style: STRUCK },
          { rank: 4, station: 'Harbour', mean: 17, bar: 0.85, style: null },
          { rank: 5, station: 'Garden (flagged)', mean: 16, bar: 0.8, style: STRUCK },
          { rank: 6, station: 'Forge', mean: 15, bar: 0.75, style: null },
          { rank: 7, station: 'Dock' },
          { rank: 8, station: 'Bridge', mean: 13, bar: 0.65 },
        ],
      },
      {
        chosen: { city: 'alder', station: ['1', '3', '6'], parameter: 'avg_temperature' },
        rows: 3,
        some: [
          { rank: 1, station: 'Bridge', style: null },
          { rank: 1, station: 'Forge (flagged)', style: STRUCK },
          { rank: 1, station: 'Inn', style: null },
        ],
      },
      {
        chosen: { city: 'alder', station: ['3'], parameter: 'avg_no2', locale: 'ru' },
        rows: 1,
        some: [{ station: 'Forge (ru)', mean: 20, style: null }],
      },
    ],
    [`$\{parameter:text} of the highest 6`]: [
      // the band is of all that are chosen, the lines of six
      {
        chosen: { city: 'alder' },
        rows: 168,
        some: [
          { time: '2026-11-13T13:00:00+00:00', lowest: 15, highest: 22 },
          { time: '2026-11-13T16:00:00+00:00', lowest: 11, highest: 21 },
        ],
      },
      {
        chosen: { city: 'alder' },
        query: 'B',
        rows: 6 * 168,
        some: [
          { time: '2026-11-13T13:00:00+00:00', line: '01', name: 'Forge', value: 17 },
          { time: '2026-11-13T13:00:00+00:00', line: '06', name: 'Kiln', value: 22 },
        ],
      },
    ],
    'AQI of the stations, hour by hour': [
      {
        chosen: { city: 'alder' },
        rows: 7 * 48,
        some: [{ time: '2026-11-20T12:00:00+00:00', row: 'Bridge', AQI: '62 · Moderate' }],
      },
    ],
  },
};
