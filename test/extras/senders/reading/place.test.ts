/** Pressure that is reduced to sea level is never stored, and readings say where they are (S9). */
import { describe, expect, it } from 'vitest';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import { askedOf, readText } from '../support.ts';

const T = '2026-11-19T08:00:00Z';

/** What stops one reading; undefined: nothing does. */
const stops = (row: object, declared: Declarations) =>
  askedOf(JSON.stringify({ ...row, time: T }), { sensor: 1, ...declared }, 1);

describe('pressure', () => {
  const mapped = (name: string, others: Declarations = {}) =>
    stops(
      { [name]: 1013.2 },
      { columns: [`pressure=${name}`], units: ['pressure=hpa'], ...others },
    );

  it.each([
    'Relative Pressure(hPa)',
    'QNH',
    'QFF [hPa]',
    'Pressure MSL',
    'sea_level_pressure',
    'seaLevelPressure',
    'baromrelin',
    'SLP',
    'altimeter',
    'Luftdruck (reduziert)',
    'Luftdruck NN',
    'Pression au niveau de la mer',
    'Presión reducida',
    'Давление на уровне моря',
    'ծովի մակարդակի ճնշում',
    '海平面气压',
  ])('%s says that it is reduced to sea level', async (name) => {
    expect(await mapped(name)).toContain(
      `${name} says that it is pressure reduced to sea level, not the station's own. `,
    );
  });

  it.each(['Absolute Pressure', 'Luftdruck', 'Barometer - in Hg', 'baromabsin', 'Давление', 'BP'])(
    '%s does not',
    async (name) => {
      expect(await mapped(name)).toBeUndefined();
    },
  );

  it('the barometer of WeeWX is reduced, and so is an entity of Home Assistant that says so', async () => {
    const row = { dateTime: 1_795_161_900, usUnits: 16, interval: 5, barometer: 1013.2 };
    expect(await stops(row, { columns: ['pressure=barometer'] })).toContain('barometer says');
    const state = {
      entity_id: 'sensor.gw2000_relative_pressure',
      state: '1013.2',
      attributes: { device_class: 'pressure', unit_of_measurement: 'hPa' },
    };
    expect(await stops(state, {})).toContain('sensor.gw2000_relative_pressure says');
  });

  it('a humidity may be called relative', async () => {
    const columns = ['humidity_%=Relative Humidity'];
    expect(await stops({ 'Relative Humidity': 80 }, { columns })).toBeUndefined();
  });
});

describe('a place', () => {
  it.each([
    [{ lat: 52.4, lon: 13.05 }],
    [{ Latitude: '52.4', Longitude: '13.05' }],
    [{ gps_lat: 52.4, gps_lng: 13.05 }],
    [{ location: { latitude: '52.400', longitude: '13.050' } }],
    [{ coordinates: { latitude: 52.4, longitude: 13.05 } }],
  ])('is read from %o', async (given) => {
    const { doubts } = await readText(JSON.stringify({ sensor_id: 1, time: T, pm25: 5, ...given }));
    expect([...doubts.places.values()]).toMatchObject([
      { sensorId: 1, latitude: 52.4, longitude: 13.05, first: T, last: T },
    ]);
  });

  it('is read from the payload of a device', async () => {
    const decoded_payload = { pm25: 5, latitude: 52.4, longitude: 13.05 };
    const uplink = { received_at: T, uplink_message: { decoded_payload } };
    const text = JSON.stringify({ end_device_ids: { device_id: 'roof' }, ...uplink });
    const { doubts } = await readText(text);
    expect([...doubts.places.values()]).toMatchObject([{ latitude: 52.4, longitude: 13.05 }]);
  });

  it.each([
    [{ lat: 0, lon: 0 }, []],
    [{ lat: 152.4, lon: 13.05 }, []],
    [{ lat: 'none', lon: 13.05 }, []],
    [{ lat: 52.4 }, []],
    [{ lat: 52.4, lon: 13.05 }, ['lat=*']],
    [{ lat: 52.4, lon: 13.05, location: 6501 }, ['location=6501']],
  ])('there is none in %o with --only %s', async (given, only) => {
    const text = JSON.stringify({ sensor_id: 1, time: T, pm25: 5, ...given });
    expect((await readText(text, { only })).doubts.places.size).toBe(0);
  });

  it('the two locations of one sensor in a file of Sensor.Community tell its rows apart', async () => {
    const text = `sensor_id;sensor_type;location;lat;lon;timestamp;P1;P2
1;SDS011;6501;52.500;13.400;2026-11-10T08:00:00;20.00;10.00
1;SDS011;6502;52.400;13.050;2026-11-15T08:00:00;80.00;40.00
`;
    const doubt = await askedOf(text, {}, 2);
    expect(doubt).toContain('column location (6501, 6502) tells rows of 1 apart');
    expect(doubt).toContain('--only location=6501');
    const only = { only: ['location=6501'] };
    expect(await askedOf(text, only, 2)).toBeUndefined();
    expect((await readText(text, only)).readings).toHaveLength(1);
  });
});
