import { AN_HOUR_LATER, type FormatTable, T } from './table.ts';

const HEADER =
  'Samplingpoint,Pollutant,Start,End,Value,Unit,AggType,Validity,Verification,ResultTime,DataCapture,FkObservationLog';
const [PM10, NO2] = ['DE/SPO.DE_DEBE010_PM1_dataGroup1', 'DE/SPO.DE_DEBE010_NO2_dataGroup1'];
const REST = '2027-09-30 12:00:00,,0b1e';

export const eea: FormatTable = {
  format: 'eea',
  samples: [
    {
      what: 'hours in winter time all year; of days and of what is not valid, nothing counts (S7)',
      lines: [
        HEADER,
        `${PM10},5,2026-11-20 09:00:00,2026-11-20 10:00:00,18.400000000000000000,ug.m-3,hour,1,1,${REST}`,
        `${PM10},5,2026-11-20 10:00:00,2026-11-20 11:00:00,-999.000000000000000000,ug.m-3,hour,-1,1,${REST}`,
        `${PM10},5,2026-11-20 11:00:00,2026-11-20 12:00:00,1.200000000000000000,ug.m-3,hour,3,2,${REST}`,
        `${PM10},5,2026-11-20 00:00:00,2026-11-21 00:00:00,16.000000000000000000,ug.m-3,day,1,3,${REST}`,
        `${NO2},8,2026-11-20 10:00:00,2026-11-20 11:00:00,19.125000000000000000,ug.m-3,hour,2,3,${REST}`,
      ],
      stored: [
        { device: PM10, time: T, pm10: 18.4 },
        { device: PM10, time: '2026-11-20T10:00:00Z', pm10: 1.2 },
        { device: NO2, time: AN_HOUR_LATER, no2: 10 },
      ],
      excluded: 2,
    },
    {
      what: 'a file of days, which are declared; a pollutant that we do not have is not used',
      declared: { only: ['aggtype=day', 'Validity=*'] },
      lines: [
        HEADER,
        `${PM10},5,2026-11-20 00:00:00,2026-11-21 00:00:00,16,ug.m-3,day,-1,3,${REST}`,
        `${PM10},38,2026-11-20 00:00:00,2026-11-21 00:00:00,4,ug.m-3,day,1,3,${REST}`,
      ],
      stored: [{ device: PM10, time: '2026-11-19T23:00:00Z', pm10: 16 }],
      ignored: ['38'],
    },
    {
      what: 'hours of two pollutants',
      lines: [
        HEADER,
        `${PM10},5,2026-11-20 09:00:00,2026-11-20 10:00:00,18.5,ug.m-3,hour,1,1,${REST}`,
        `${PM10},6001,2026-11-20 10:00:00,2026-11-20 11:00:00,9.25,ug.m-3,hour,1,1,${REST}`,
      ],
      stored: [
        { device: PM10, time: T, pm10: 18.5 },
        { device: PM10, time: AN_HOUR_LATER, pm25: 9.25 },
      ],
      isMutated: true,
    },
  ],
};
