import { AN_HOUR_LATER, type FormatTable, T } from './table.ts';

const device = '000010102';
const REST = 'Newfoundland & Labrador DEC';

export const airnow: FormatTable = {
  format: 'airnow',
  isPositional: true,
  samples: [
    {
      what: 'an hour without a header, of a year in two digits, each line of one parameter',
      lines: [
        `11/20/26|08:00|${device}|St. John's|-4|PM2.5|UG/M3|5.1|${REST}`,
        `11/20/26|08:00|${device}|St. John's|-4|OZONE|PPB|30|${REST}`,
        `11/20/26|08:00|${device}|St. John's|-4|TEMP|C|4.5|${REST}`,
        `11/20/26|08:00|${device}|St. John's|-4|RHUM|PERCENT|84|${REST}`,
        `11/20/26|08:00|${device}|St. John's|-4|WD|DEGREES|270|${REST}`,
        `11/20/26|08:00|${device}|St. John's|-4|WS|M/S|4.1|${REST}`,
        `11/20/26|08:00|${device}|St. John's|-4|BARPR|MILLIBAR|1003.4|${REST}`,
        `11/20/26|08:00|${device}|St. John's|-4|NO2Y|PPB|3|${REST}`,
        `11/20/26|09:00|${device}|St. John's|-4|CO|PPM|0.2|${REST}`,
        `11/20/26|09:00|${device}|St. John's|-4|PM10|UG/M3|11|${REST}`,
      ],
      rows: 7,
      stored: [
        {
          device,
          time: T,
          pm25: 5.1,
          o3: 59.871,
          temperature: 4.5,
          humidity: 84,
          wind_direction: 270,
          wind_speed: 4.1,
        },
        { device, time: AN_HOUR_LATER, pm10: 11 },
      ],
      ignored: ['BARPR', 'NO2Y', 'CO'],
      isNamed: true,
    },
    {
      what: 'two hours in our units',
      lines: [
        `11/20/26|08:00|${device}|St. John's|-4|PM2.5|UG/M3|5.1|${REST}`,
        `11/20/26|09:00|${device}|St. John's|-4|PM10|UG/M3|11|${REST}`,
      ],
      stored: [
        { device, time: T, pm25: 5.1 },
        { device, time: AN_HOUR_LATER, pm10: 11 },
      ],
      isNamed: true,
      isMutated: true,
    },
  ],
};
