/** What a device pushed waits in quarantine for the network to name its sensors, and is retried. */
import { beforeEach, expect, it } from 'vitest';
import { readingsOfPush } from '../../../../src/extras/senders/formats/airrohr.ts';
import { differences } from '../../../aggregate/differences.ts';
import { retry as retryIn, stored, useTown } from '../../../ingest/support.ts';
import { onEveryEngineInAll } from '../../../support/database.ts';
import { bringIn, smallNetwork } from '../../../support/smallNetwork.ts';

const T = '2026-11-20T10:00:00Z';
const at = (minutes: number) => new Date(Date.parse(T) + minutes * 60_000).toISOString();
const NONE = { retried: 0, accepted: 0, unchanged: 0, still_quarantined: 0, not_retryable: 0 };

onEveryEngineInAll('retry of pushes of a device', (engine) => {
  const town = useTown(engine);
  beforeEach(async () => {
    await town.owner`truncate raw.readings, raw.quarantine, raw.placement, raw.correction, raw.sensor_station, raw.suspicious_period,
      raw.screened_period, raw.sensor`;
    await town.owner`update raw.installation set ingest_cutoff = '-infinity'`;
    await bringIn(town.owner, smallNetwork());
  });

  const retry = () => retryIn(town.owner);
  const lines = () =>
    town.owner`select source, provider_id, line, kind, reason, text from raw.quarantine order by id`;

  const values = (particles: string) => [
    { value_type: 'SDS_P2', value: particles },
    { value_type: 'BME280_temperature', value: '7.5' },
  ];
  const record = (minutes: number, particles = '12.5') => ({
    device: 'esp8266-1',
    pin: null,
    measuredAt: at(minutes),
    values: values(particles),
  });
  const push = (minutes: number, particles?: string) =>
    town.accept(readingsOfPush(record(minutes, particles), []), 'us', 'us');
  const withDevice = (...sensors: object[]) =>
    bringIn(
      town.owner,
      smallNetwork({
        two: { sensors: sensors.map((each) => ({ device: 'esp8266-1', ...each })) },
      }),
    );

  it('a retry stores the values of a device that the network can assign now', async () => {
    await push(0);
    await push(5, 'x');
    expect(await retry()).toEqual({ ...NONE, retried: 2, still_quarantined: 2 });
    expect(await lines()).toHaveLength(2);
    await withDevice({ id: 21, kind: 'SDS011' }, { id: 22, kind: 'BME280' });
    // the second push has unreadable particles
    expect(await retry()).toEqual({ ...NONE, retried: 4, accepted: 3, still_quarantined: 1 });
    expect(
      (await stored(town.owner)).map(({ sensor_id, pm25, temperature }) => [
        sensor_id,
        pm25,
        temperature,
      ]),
    ).toEqual([
      [21, 12.5, null],
      [22, null, 7.5],
      [22, null, 7.5],
    ]);
    expect((await lines()).map(({ kind, reason }) => `${kind} ${reason}`)).toEqual([
      'reading no_value',
      'value unreadable:pm25',
    ]);
    expect(await differences(town.db)).toEqual([]);
  });

  it('a retry keeps values of a device that still cannot be assigned, for a later retry', async () => {
    await push(0);
    await withDevice({ id: 21, kind: 'SDS011' });
    expect(await retry()).toEqual({ ...NONE, retried: 2, accepted: 1, still_quarantined: 1 });
    expect(await lines()).toMatchObject([
      { provider_id: 'us', reason: 'unknown_sensor', text: expect.not.stringContaining('SDS') },
    ]);
    await withDevice({ id: 21, kind: 'SDS011' }, { id: 22, kind: 'BME280' });
    expect(await retry()).toEqual({ ...NONE, retried: 1, accepted: 1 });
    expect(await lines()).toEqual([]);
  });
});
