/**
 * Readings that place themselves more than 1 km from the station that their sensor has at their time
 * say that it moved: asked about (S9).
 */
import { expect, it } from 'vitest';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import { send, usePushing } from '../../../ingest/http/pushing.ts';
import { importText, stored } from '../../../ingest/support.ts';
import { smallNetwork } from '../../../support/smallNetwork.ts';

const MOVE = '2026-11-15T00:00:00Z';

const moved = {
  id: 2,
  device: 'roof',
  stations: [
    { id: 1, until: MOVE },
    { id: 2, since: MOVE },
  ],
};
const here = usePushing(smallNetwork({ one: { sensors: [{ id: 1 }, moved] } }));

const row = (time: string, sensor: string | number, place: string) =>
  `${time},${sensor},5,${place}\n`;
/** Stations 1 and 2, and 1.2 km and 0.9 km north of station 1. */
const [ONE, TWO, FAR, NEAR] = ['40,44', '41,45', '40.011,44', '40.008,44'];
const BEFORE = '2026-11-10T08:00:00Z';
const AFTER = '2026-11-20T08:00:00Z';

const imported = (rows: readonly string[], format: Declarations = {}, owner = 'sensor_id') => {
  const table = `time,${owner},pm25,lat,lon\n${rows.join('')}`;
  return importText(here.database.as('airseries_ingest'), table, format);
};

it('a sensor more than 1 km from its station stops a file, and a declaration answers', async () => {
  const rows = [row(BEFORE, 1, ONE), row(AFTER, 1, FAR)];
  const { received, failures } = await imported(rows);
  expect([received, failures]).toEqual([
    0,
    [
      expect.stringMatching(
        /its own place \(lat\) puts sensor 1 at 2026-11-20T08:00:00\.000Z to 40\.011, 44, 1\.2 km from its station 1; nothing of it was stored\. .*--only lat=VALUE takes .*--only lat=\*/,
      ),
    ],
  ]);
  expect(await stored(here.owner)).toEqual([]);
  expect(await imported(rows, { only: ['lat=40'] })).toMatchObject({ accepted: 1, excluded: 1 });
  expect(await imported(rows, { only: ['lat=*'] })).toMatchObject({ accepted: 1, failed: false });
});

it('a file may follow a move that the network knows, within 1 km, by sensor and by device', async () => {
  const rows = [row(BEFORE, 2, NEAR), row(AFTER, 2, TWO)];
  expect(await imported(rows)).toMatchObject({ accepted: 2, failed: false });
  const late = [row(AFTER, 'roof', ONE)];
  expect((await imported(late, {}, 'device')).failures).toEqual([
    expect.stringContaining('from its station 2'),
  ]);
});

it('a push of 20 readings is refused, and the answer to a shorter one says so', async () => {
  const readings = Array.from({ length: 20 }, (_, minute) => ({
    sensor_id: 1,
    time: new Date(Date.parse(AFTER) + minute * 60_000).toISOString(),
    pm25: 5,
    location: { latitude: 40.011, longitude: 44 },
  }));
  const refused = await send(here.app, here.token, JSON.stringify(readings));
  expect([refused.status, refused.body.detail]).toEqual([
    422,
    expect.stringContaining('1.2 km from its station 1; nothing of it was stored'),
  ]);
  const few = await send(here.app, here.token, JSON.stringify(readings.slice(0, 19)));
  expect(few.body).toMatchObject({
    accepted: 19,
    hints: [expect.stringContaining('1.2 km from its station 1. If the sensor moved')],
  });
});
