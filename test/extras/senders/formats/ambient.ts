import { AN_HOUR_LATER, type FormatTable, form, OUTDOORS, T } from './table.ts';

const PASSKEY = 'C4:5B:BE:5C:FC:84';

export const ambient: FormatTable = {
  format: 'ambient',
  samples: [
    {
      what: 'what a console sends, of which what is measured outdoors counts, in its units (S9)',
      json: form(
        `stationtype=AMBWeatherV4.3.3&PASSKEY=${PASSKEY}&dateutc=2026-11-20+08:00:00`,
        'tempinf=79.0&battin=1&humidityin=51&baromrelin=30.215&baromabsin=29.53',
        'tempf=41.0&battout=1&humidity=93&winddir=270&winddir_avg10m=251',
        'windspeedmph=10.0&windgustmph=11.8&hourlyrainin=0.000&dailyrainin=0.010',
        'yearlyrainin=4.000&solarradiation=727.72&uv=1&pm25=6.6&pm25_in=60',
      ),
      stored: [{ device: PASSKEY, time: T, ...OUTDOORS, rain_total: 101.6 }],
      ignored: [
        ...['stationtype', 'tempinf', 'battin', 'humidityin', 'baromrelin', 'battout'],
        ...['winddir_avg10m', 'windgustmph', 'hourlyrainin', 'dailyrainin', 'solarradiation'],
        'pm25_in',
      ],
    },
    {
      what: 'recorded forms of two hours, in our units',
      lines: [
        'PASSKEY,stationtype,dateutc,battout,humidity,winddir,pm25',
        `${PASSKEY},AMB,2026-11-20 08:00:00,1,93,270,6.5`,
        `${PASSKEY},AMB,2026-11-20 09:00:00,1,94,271,7.5`,
      ],
      stored: [
        { device: PASSKEY, time: T, humidity: 93, wind_direction: 270, pm25_raw: 6.5 },
        { device: PASSKEY, time: AN_HOUR_LATER, humidity: 94, wind_direction: 271, pm25_raw: 7.5 },
      ],
      ignored: ['stationtype', 'battout'],
      isMutated: true,
    },
  ],
};
