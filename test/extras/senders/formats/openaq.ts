import { AN_HOUR_LATER, type FormatTable, T } from './table.ts';

const ARCHIVE = 'location_id,sensors_id,location,datetime,lat,lon,parameter,units,value';

export const openaq: FormatTable = {
  format: 'openaq',
  samples: [
    {
      what: 'CSV of the archive: the rows of one sensor and time are one reading',
      declared: { shift: '-1h' },
      lines: [
        ARCHIVE,
        '2178,3919,Del Norte-2178,2026-11-20T02:00:00-07:00,40,44,pm10,µg/m³,20',
        '2178,3917,Del Norte-2178,2026-11-20T02:00:00-07:00,40,44,o3,ppm,0.03',
        '2178,25227,Del Norte-2178,2026-11-20T02:00:00-07:00,40,44,co,ppm,0.2',
        '2178,9,Del Norte-2178,2026-11-20T02:00:00-07:00,40,44,temperature,f,50',
        '2178,9,Del Norte-2178,2026-11-20T02:00:00-07:00,40,44,relativehumidity,%,40',
        '2178,8,Del Norte-2178,2026-11-20T02:00:00-07:00,40,44,pm25,particles/cm³,7',
      ],
      rows: 4,
      stored: [
        { sensor: 3919, time: T, pm10: 20 },
        { sensor: 3917, time: T, o3: 59.871 },
        { sensor: 9, time: T, temperature: 10, humidity: 40 },
      ],
      refused: [
        { sensor: 8, why: 'the reading has no usable value' },
        { sensor: 8, why: 'pm25: the value is not a number' },
      ],
      ignored: ['co'],
    },
    {
      what: 'JSON of /v3/sensors/ID/measurements, at the start of the hour (S3)',
      declared: { sensor: 3916 },
      json: {
        meta: { name: 'openaq-api', website: '/', page: 1, limit: 100, found: 1 },
        results: [
          {
            value: 1.25,
            flagInfo: { hasFlags: false },
            parameter: { id: 5, name: 'no2', units: 'ppm', displayName: null },
            period: {
              label: '1hour',
              interval: '01:00:00',
              datetimeFrom: { utc: T, local: '2026-11-20T01:00:00-07:00' },
              datetimeTo: { utc: AN_HOUR_LATER, local: '2026-11-20T02:00:00-07:00' },
            },
            coordinates: null,
          },
        ],
      },
      stored: [{ sensor: 3916, time: T, no2: 1_250 }],
    },
    {
      what: 'CSV of readings of an instant, in our units',
      declared: { shift: '0min' },
      lines: [
        ARCHIVE,
        `2178,9,x,${T},40,44,pm10,µg/m³,20`,
        `2178,9,x,${T},40,44,pm25,µg/m³,12`,
        `2178,8,x,${AN_HOUR_LATER},40,44,co,ppm,3`,
      ],
      rows: 2,
      stored: [{ sensor: 9, time: T, pm10: 20, pm25: 12 }],
      ignored: ['co'],
      isMutated: true,
    },
  ],
};
