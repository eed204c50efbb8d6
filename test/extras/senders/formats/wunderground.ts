import { AN_HOUR_LATER, ARRIVAL, type FormatTable, form, OUTDOORS, T } from './table.ts';

const ID = 'KXXROOF1';
const SENT = `ID=${ID}&action=updateraw&realtime=1&rtfreq=5`;

export const wunderground: FormatTable = {
  format: 'wunderground',
  samples: [
    {
      what: 'what a station uploads, in the units of the protocol; baromin is reduced (S9)',
      json: form(
        SENT,
        'dateutc=2026-11-20+08:00:00&winddir=270&windspeedmph=10&windgustmph=12&tempf=41',
        'indoortempf=70&dewptf=38.4&humidity=93&baromin=30.1&absbaromin=29.53&rainin=0.02',
        'dailyrainin=0.12&UV=1&AqPM2.5=6.6&AqPM10=9&AqNO2=10&AqOZONE=10',
        'softwaretype=weewx-5.1.0',
      ),
      stored: [
        { device: ID, time: T, ...OUTDOORS, pm10: 9, no2: 10, o3: 19.957, rain_total: 3.048 },
      ],
      ignored: ['windgustmph', 'indoortempf', 'dewptf', 'baromin', 'rainin'],
    },
    {
      what: 'a station without a clock, whose values get the time of their arrival',
      json: form(SENT, 'dateutc=now&tempf=41'),
      stored: [{ device: ID, time: ARRIVAL, temperature: 5 }],
    },
    {
      what: 'recorded forms of two hours, in our units',
      lines: [
        'ID,action,dateutc,humidity,AqPM2.5',
        `${ID},updateraw,2026-11-20 08:00:00,93,6.5`,
        `${ID},updateraw,2026-11-20 09:00:00,94,7.5`,
      ],
      stored: [
        { device: ID, time: T, humidity: 93, pm25_raw: 6.5 },
        { device: ID, time: AN_HOUR_LATER, humidity: 94, pm25_raw: 7.5 },
      ],
      isMutated: true,
    },
  ],
};
