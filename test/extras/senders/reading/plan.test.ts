/** The names of a row alone say which of its cells are read, and which are left over (S7). */
import { describe, expect, it } from 'vitest';
import { chooseFormat, FORMATS } from '../../../../src/extras/senders/formats/formats.ts';
import { layoutOf, planOf } from '../../../../src/extras/senders/reading/plan.ts';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import { makeColumns, makeObjectReader, type Row } from '../../../../src/ingest/rows/row.ts';

const object = (given: Record<string, unknown>) => makeObjectReader()(given, '{}', 1) as Row;
const rowOf = (given: string | Record<string, unknown>): Row =>
  typeof given === 'string'
    ? { names: makeColumns(given.split(','), ','), cells: given.split(','), text: given, line: 1 }
    : object(given);

function plan(given: string | Record<string, unknown>, declared: Declarations = {}) {
  const row = rowOf(given);
  const { names } = row;
  const layout = layoutOf(chooseFormat(declared.name, row), declared);
  const made = planOf(layout, names);
  const named = ({ index, path }: { index: number; path: string | undefined }) =>
    [names.list[index], path].filter((part) => part !== undefined).join(' > ');
  return {
    sensor: made.sensor.positions.map(named),
    device: made.device.positions.map(named),
    time: made.time.positions.map(named),
    values: Object.fromEntries(
      made.values.map(({ parameter, columns }) => [
        parameter,
        columns.map((one) => [one.position, one.second].flatMap((at) => (at ? named(at) : []))),
      ]),
    ),
    unused: made.unused,
    verdicts: made.verdicts.map(({ name }) => name),
    table: made.table && {
      measured: made.table.measured.map((at) => names.list[at]),
      unused: made.table.unused.map((at) => names.list[at]),
    },
  };
}

describe('a table', () => {
  it('a table is read by the first name of a text, and columns that are not read are unused', () => {
    expect(plan('timestamp,time,sensor_id,pm25,colour,Validity')).toEqual({
      sensor: ['sensor_id'],
      device: [],
      time: ['time'],
      values: { pm25: [['pm25']] },
      unused: ['timestamp', 'colour', 'Validity'],
      verdicts: ['Validity'],
      table: { measured: ['pm25'], unused: ['timestamp', 'colour', 'Validity'] },
    });
  });

  it('a column that --only names is not reported as unused', () => {
    const { unused, verdicts, table } = plan('time,sensor_id,pm25,Validity,QC', {
      only: ['validity=1'],
    });
    expect({ unused, verdicts, table }).toMatchObject({
      unused: ['QC'],
      verdicts: ['QC'],
      table: { unused: ['QC'] },
    });
  });

  it('declared columns of a table replace the columns that would be read without them', () => {
    const columns = ['time=Date+Hour', 'pm25=PM2_5_mean', 'sensor_id=Station'];
    expect(plan('sensor_id,Station,time,Date,Hour,pm25,PM2_5_mean,pm10', { columns })).toEqual({
      sensor: ['Station'],
      device: [],
      time: ['Date', 'Hour'],
      values: { pm25: [['PM2_5_mean']], pm10: [['pm10']] },
      unused: ['sensor_id', 'time', 'pm25'],
      verdicts: [],
      table: { measured: ['PM2_5_mean', 'pm10'], unused: ['sensor_id', 'time', 'pm25'] },
    });
  });

  it('a column that one declaration displaces and another takes stays in use', () => {
    const columns = ['pm25=fine', 'pm25_raw=pm25'];
    expect(plan('sensor_id,time,pm25,fine', { columns })).toMatchObject({
      values: { pm25: [['fine']], pm25_raw: [['pm25']] },
      unused: [],
    });
  });

  it('a column that the format knows is not reported as unused, but tells rows apart', () => {
    const header = 'location_id,sensors_id,location,datetime,lat,lon,parameter,units,value,note';
    expect(plan(header)).toMatchObject({
      sensor: ['sensors_id'],
      time: ['datetime'],
      unused: ['note'],
      table: { measured: [], unused: ['location_id', 'location', 'lat', 'lon', 'note'] },
    });
  });
});

describe('an object', () => {
  it('an object is read by every name of a text, every name of a parameter, and by paths', () => {
    const given = { time: 't', timestamp: 's', 'pm2.5': 1, pm25: 2, BME280: { T: 1 }, rssi: -70 };
    expect(plan(given, { sensor: 1, columns: ['temperature=BME280.T'] })).toMatchObject({
      time: ['time', 'timestamp'],
      values: { pm25: [['pm25'], ['pm2.5']], temperature: [['BME280 > T']] },
      unused: ['rssi'],
      table: undefined,
    });
  });

  it('an object with a payload is read in both, and only names of the payload are reported', () => {
    const row = object({ time: 't', fPort: 1, fCnt: 2, deviceInfo: { devEui: 'x' }, object: {} });
    const payload = object({ time: 'never', pm25: 1, fine: 2, battery: 3, status: 'ok' });
    const format = FORMATS.find(({ name }) => name === 'chirpstack');
    if (format?.payload === undefined) throw new Error('no payload');
    const { values } = format.payload(row);
    const inner = { names: payload.names, values };
    const own = planOf(layoutOf(format, {}), row.names, inner);
    expect(own.time.positions).toEqual([{ index: 0, path: undefined }]);
    expect(own.values.map(({ columns }) => columns[0]?.position)).toEqual([
      { index: 1, path: undefined, isInPayload: true },
    ]);
    expect(own.unused).toEqual(['time', 'fine', 'battery', 'status']);
    expect(own.verdicts).toMatchObject([{ name: 'status', position: { isInPayload: true } }]);
    const columns = ['pm10=fine', 'device=fCnt', 'time=time'];
    const mapped = planOf(layoutOf(format, { columns }), row.names, inner);
    expect(mapped.device.positions).toEqual([{ index: 2, path: undefined }]);
    expect(mapped.time.positions).toEqual([{ index: 0, path: undefined, isInPayload: true }]);
    expect(mapped.unused).toEqual(['battery', 'status']);
  });
});
