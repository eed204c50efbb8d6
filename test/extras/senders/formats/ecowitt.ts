import { AN_HOUR_LATER, type FormatTable, form, OUTDOORS, T } from './table.ts';

const PASSKEY = '00112233445566778899AABBCCDDEEFF';
const SENT = `PASSKEY=${PASSKEY}&stationtype=GW2000A_V3.1.3&dateutc=2026-11-20+08:00:00`;

export const ecowitt: FormatTable = {
  format: 'ecowitt',
  samples: [
    {
      what: 'what a gateway sends, of which what is measured outdoors counts, in its units (S9)',
      json: form(
        SENT,
        'runtime=188738&tempinf=78.80&humidityin=53&baromrelin=30.215&baromabsin=29.53',
        'tempf=41.0&humidity=93&winddir=270&windspeedmph=10.00&windgustmph=20.00',
        'solarradiation=171.59&uv=1&rainratein=0.000&dailyrainin=0.010&yearlyrainin=4.000',
        'totalrainin=14.945&yrain_piezo=4.500&temp1f=64.76&pm25_ch1=6.6&pm25_ch2=60',
        'pm25_avg_24h_ch1=2.5&pm25_co2=66&co2=882&wh65batt=0&model=GW2000A',
      ),
      stored: [{ device: PASSKEY, time: T, ...OUTDOORS, rain_total: 101.6 }],
      ignored: [
        ...['stationtype', 'runtime', 'tempinf', 'humidityin', 'baromrelin', 'windgustmph'],
        ...['solarradiation', 'rainratein', 'dailyrainin', 'totalrainin', 'yrain_piezo'],
        ...['temp1f', 'pm25_ch2', 'pm25_avg_24h_ch1', 'pm25_co2', 'co2', 'wh65batt', 'model'],
      ],
    },
    {
      what: 'a gauge and a channel that are declared',
      declared: { column: ['rain_total_in=yrain_piezo', 'pm25_raw_ugm3=pm25_ch2'] },
      json: form(SENT, 'yrain_piezo=1&pm25_ch1=6&pm25_ch2=7'),
      stored: [{ device: PASSKEY, time: T, rain_total: 25.4, pm25_raw: 7 }],
      ignored: ['stationtype', 'pm25_ch1'],
    },

    {
      what: 'a sensor that is out of reach, whose values are none',
      json: form(SENT, 'humidity=93&tempf=-9999&winddir=-9999'),
      stored: [{ device: PASSKEY, time: T, humidity: 93 }],
      refused: [
        { device: PASSKEY, why: 'temperature must be -60 to 60' },
        { device: PASSKEY, why: 'wind_direction must be 0 to 360' },
      ],
      ignored: ['stationtype'],
    },
    {
      what: 'recorded forms of two hours, in our units',
      lines: [
        'PASSKEY,stationtype,dateutc,humidity,winddir,pm25_ch1',
        `${PASSKEY},GW,2026-11-20 08:00:00,93,270,6.5`,
        `${PASSKEY},GW,2026-11-20 09:00:00,94,271,7.5`,
      ],
      stored: [
        { device: PASSKEY, time: T, humidity: 93, wind_direction: 270, pm25_raw: 6.5 },
        { device: PASSKEY, time: AN_HOUR_LATER, humidity: 94, wind_direction: 271, pm25_raw: 7.5 },
      ],
      ignored: ['stationtype'],
      isMutated: true,
    },
  ],
};
