/**
 * Files of others as they are: what stands above a header and below it, what a file says of its own
 * rows, and what cannot be read (S7).
 */
import { AN_HOUR_LATER, type FormatTable, T } from './table.ts';

const TWO_HOURS = [
  { sensor: 52, time: T, pm25: 8.5 },
  { sensor: 52, time: AN_HOUR_LATER, pm25: 9.5 },
];

const MIDNIGHT = '2026-11-20T00:00:00Z';

export const foreign: FormatTable = {
  format: 'airseries',
  samples: [
    {
      what: 'a header below sep=',
      lines: ['sep=;\r', 'sensor_id;time;pm25\r', `52;${T};8,5\r`, `52;${AN_HOUR_LATER};9,5\r`],
      stored: TWO_HOURS,
    },

    {
      what: 'a header below titles',
      lines: [
        '"Hourly, case 5"',
        '"V = valid"',
        'sensor_id,time,pm25,s',
        `52,${T},8.5,V`,
        `52,${AN_HOUR_LATER},9.5,P`,
      ],
      stored: TWO_HOURS,
      ignored: ['s'],
    },
    {
      what: 'a header below rows of another table, which would be lost',
      lines: ['station,time,pm25', `1,${T},5`, 'sensor_id,time,pm25', `52,${T},8.5`],
      stored: [],
      refused: [{ why: ':1: the header has no column sensor_id' }],
    },
    {
      what: 'semicolons between names, one with a comma, and decimal commas',
      declared: { sensor: 52, zone: 'UTC', column: ['time=Datum'] },
      lines: ['PM2,5;PM10;Datum', '8,5;9;2026-11-20'],
      stored: [{ sensor: 52, time: MIDNIGHT, pm25: 8.5, pm10: 9 }],
    },

    {
      what: 'a verdict that is true in JSON',
      declared: { only: ['ok=true'] },
      json: [
        { sensor_id: 52, time: T, pm25: 8.5, ok: true },
        { sensor_id: 52, time: AN_HOUR_LATER, pm25: 9.5 },
      ],
      stored: [{ sensor: 52, time: T, pm25: 8.5 }],
      excluded: 1,
    },
    {
      what: 'surplus empty fields, rows of delimiters alone, and a row with a field too many',
      lines: ['sensor_id,time,pm25', `52,${T},8.5,,`, ',,', ',,,,,', `52,${AN_HOUR_LATER},9.5,6`],
      stored: [{ sensor: 52, time: T, pm25: 8.5 }],
      refused: [{ why: 'it has 4 fields, but the header has 3' }],
    },
    {
      what: 'a line of NUL bytes',
      lines: ['sensor_id,time,pm25', `52,${T},8.5`, '\0\0\0\0'],
      stored: [{ sensor: 52, time: T, pm25: 8.5 }],
      refused: [{ why: 'it has NUL bytes: did the power fail while it was written?' }],
    },
    {
      what: 'stations and times that are keys of a document',
      json: {
        request: { station: '143' },
        data: { '143': { '2026-11-20 08:00:00': [1, 2, 29, '2026-11-20 09:00:00', '1'] } },
      },
      stored: [],
      refused: [{ why: 'its values lie under stations and times in "data": make a row of each' }],
    },
    {
      what: 'lines of InfluxDB',
      lines: ['air,host=roof pm25=5.5,pm10=7 1795248000000000000'],
      stored: [],
      refused: [{ why: 'this is the line protocol of InfluxDB' }],
    },
  ],
};
