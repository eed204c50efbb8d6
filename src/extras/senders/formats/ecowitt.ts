/**
 * Ecowitt, Fine Offset, Froggit: what a console or gateway sends to its customized server, as one
 * form. Only what is measured outdoors is taken. The protocol has these units, whatever the console
 * shows.
 */
import { has } from '../rows/cells.ts';
import { type Format, text, unit, value } from './format.ts';

export const ecowitt: Format = {
  name: 'ecowitt',
  source:
    'https://github.com/home-assistant-libs/aioecowitt/blob/main/aioecowitt/sensor.py, https://github.com/matthewwall/weewx-interceptor/blob/master/bin/user/interceptor.py',
  recognizes: (row) => has(row, 'PASSKEY', 'stationtype', 'dateutc'),
  zone: 'UTC',
  columns: (names) => ({
    // a hash of its MAC address, which it tells no one but its servers
    device: text(names, 'PASSKEY'),
    time: text(names, 'dateutc'),
    values: {
      pm25_raw: value(names, 'pm25_ch1'),
      temperature: unit('f', value(names, 'tempf')),
      humidity: value(names, 'humidity'),
      // the station's own: `baromrelin` is reduced to sea level
      pressure: unit('inhg', value(names, 'baromabsin')),
      wind_speed: unit('mph', value(names, 'windspeedmph')),
      wind_direction: value(names, 'winddir'),
      // every firmware has this total, and it begins anew only once a year; the total of a piezo
      // gauge does not stand in for it, because the difference of two gauges would be rain
      rain: unit('in', value(names, 'yearlyrainin')).map((one) => ({ ...one, isTotal: true })),
      uv: value(names, 'uv'),
    },
  }),
  needs: {
    owner: 'PASSKEY',
    time: 'for the time',
    all: () =>
      'Forms of ecowitt have PASSKEY, dateutc, and tempf, humidity, baromabsin, windspeedmph, winddir, yearlyrainin, uv, pm25_ch1.',
  },
};
