/**
 * WeeWX: rows of the archive and packets, by the names of its schema wview_extended. Each row says
 * by a number which units it is in, and a row of the archive how long an interval it ends.
 */
import type { ParameterName } from '../../../contract/parameters.ts';
import { has, positionOf } from '../rows/cells.ts';
import { type Format, text, type UnitAt, value } from './format.ts';

type Units = { readonly [name in ParameterName]?: string };

/** By `usUnits`: US, METRIC and METRICWX. What they do not list has the same unit in all three. */
const SYSTEMS: Readonly<Record<number, Units>> = {
  1: { temperature: 'f', pressure: 'inhg', wind_speed: 'mph', rain: 'in' },
  16: { temperature: 'c', pressure: 'mbar', wind_speed: 'km/h', rain: 'cm' },
  17: { temperature: 'c', pressure: 'mbar', wind_speed: 'm/s', rain: 'mm' },
};
const DIFFERENT = Object.keys(SYSTEMS[1] as Units);

/** Another number is no unit of any parameter, so the value is rejected. */
const unitOf: UnitAt['unitOf'] = (system, parameter) =>
  DIFFERENT.includes(parameter)
    ? (SYSTEMS[Number(system)]?.[parameter] ?? `usUnits ${String(system ?? 'is missing')}`)
    : undefined;

export const weewx: Format = {
  name: 'weewx',
  source:
    'https://github.com/weewx/weewx/blob/master/src/schemas/wview_extended.py, https://github.com/weewx/weewx/blob/master/src/weewx/units.py',
  recognizes: (row) => has(row, 'dateTime', 'usUnits'),
  namesEnd: true,
  reduced: ['barometer'],
  columns(names) {
    const position = positionOf(names, 'usUnits');
    return {
      sensor: text(names, 'sensor_id'),
      device: text(names, 'device'),
      time: text(names, 'dateTime'),
      interval: positionOf(names, 'interval'),
      unitAt: position && { position, unitOf },
      values: {
        pm1: value(names, 'pm1_0'),
        pm25: value(names, 'pm2_5'),
        pm10: value(names, 'pm10_0'),
        temperature: value(names, 'outTemp'),
        humidity: value(names, 'outHumidity'),
        // the station's own: `barometer` and `altimeter` are reduced to sea level
        pressure: value(names, 'pressure'),
        wind_speed: value(names, 'windSpeed'),
        wind_direction: value(names, 'windDir'),
        rain: value(names, 'rain'),
        uv: value(names, 'UV'),
      },
    };
  },
  needs: {
    owner: 'sensor_id or device',
    time: 'for the time',
    all: () =>
      'Rows of weewx have dateTime, usUnits and interval, and outTemp, outHumidity, pressure, windSpeed, windDir, rain, UV, pm1_0, pm2_5, pm10_0.',
  },
};
