/**
 * Failures that count as an outage of the database, answered with 503, and failures that count as
 * bugs; their remedies; and waiting at start.
 */
import { expect, it, onTestFinished, vi } from 'vitest';
import { refresh } from '../../src/aggregate/refresh.ts';
import { Unavailable } from '../../src/base/unavailable.ts';
import { openIngestPool } from '../../src/database/pools.ts';
import { asUnavailable, explainConnection } from '../../src/database/remedies.ts';
import { waitForDatabase } from '../../src/database/waitForDatabase.ts';
import { acceptReadings } from '../../src/ingest/store/accept.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { reading } from '../ingest/support.ts';
import { NOW } from '../support/clock.ts';
import { isAll, onEveryEngineInAll, testDatabase } from '../support/database.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { bringIn, smallNetwork } from '../support/smallNetwork.ts';

const failure = (code: string, severity = 'ERROR') =>
  Object.assign(new Error('failed'), { code, severity });

it.each([
  ['a full disk', failure('53100')],
  ['a session that the server ended, whatever the code', failure('XX000', 'FATAL')],
  ['a primary that became a replica', failure('25006')],
  ['a statement timeout', failure('57014')],
  ['a closed connection', failure('CONNECTION_CLOSED')],
  ['a probe without an answer', failure('UNREACHABLE')],
  ['a file of the database that was deleted', failure('58P01')],
  ['a right that was revoked', failure('42501')],
  ['a relation that another version has taken away', failure('42P01')],
  [
    'a function that another version has replaced',
    Object.assign(failure('XX000'), { message: 'cache lookup failed for function 17022' }),
  ],
])('%s counts as an outage', (_, error) => {
  expect(asUnavailable(error)).toBeInstanceOf(Unavailable);
});

it('a password that was changed under a running service is reported with the remedy', () => {
  expect((asUnavailable(failure('28P01', 'FATAL')) as Error).message).toBe(
    '28P01: failed. Was its password changed, or pg_hba.conf? Set it back, or start the service with the new password.',
  );
});

it.each([
  ['an internal error of one statement', failure('XX000')],
  ['a division by zero', failure('22012')],
  ['an error without a code', new Error('failed')],
])('%s counts as a bug', (_, error) => {
  expect(asUnavailable(error)).toBe(error);
});

const failing = (code: string) => () =>
  Promise.reject(Object.assign(new Error(`failed with ${code}`), { code }));

it('a start without a database gives up after a minute with a remedy, and logs every tenth attempt', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const log = keepingLog();
  const ended = expect(waitForDatabase(failing('ECONNREFUSED'), log)).rejects.toThrow(
    /^No database for 60 seconds: failed with ECONNREFUSED\. Is it running, and is DATABASE_URL right\?$/,
  );
  await vi.advanceTimersByTimeAsync(61_000);
  await ended;
  expect(log.lines.length).toBe(6);
});

const fatal = (code: string) => () => Promise.reject(failure(code, 'FATAL'));
it.each([
  ...['ECONNREFUSED', 'UNREACHABLE', '08006', '53300', '40001', '57P03'].map(
    (code) => [code, failing(code)] as const,
  ),
  ...['22023', '42704', '42501', 'XX000'].map((code) => [`FATAL ${code}`, fatal(code)] as const),
])('a start tries again after %s', async (_, fails) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const works = [fails, fails, async () => 'done'];
  const result = waitForDatabase(() => (works.shift() as () => Promise<string>)(), keepingLog());
  await Promise.all([vi.advanceTimersByTimeAsync(3_000), expect(result).resolves.toBe('done')]);
});

it.each(['28P01', '28000', '3D000', '08P01', '42501', '58P01', '57014', '42P01', ''])(
  'a start fails at once with code %j, which waiting cannot fix',
  async (code) => {
    const log = keepingLog();
    await expect(waitForDatabase(failing(code), log)).rejects.toThrow(`failed with ${code}`);
    expect(log.lines).toEqual([]);
  },
);

const failed = (code: string, message = 'failed') => Object.assign(new Error(message), { code });

it('a failed connection is explained by variable, address without password, problem and remedy', () => {
  const explained = explainConnection(
    failed('DEPTH_ZERO_SELF_SIGNED_CERT'),
    'DATABASE_URL',
    'postgres://me:word@db:5433/air?password=word',
  );
  expect(explained).toMatchObject({
    code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    message: expect.stringMatching(
      /^DATABASE_URL \(postgres:\/\/me@db:5433\/air\): its certificate cannot be verified \(failed\)\. Name the file .*\.$/,
    ),
  });
  expect(explained).not.toMatchObject({ message: expect.stringContaining('word@') });
  const several = explainConnection(
    failed('ENOTFOUND'),
    'READER_DATABASE_URL',
    'postgres://me:word@a:1,b:2/air',
  );
  expect(several).toMatchObject({
    message: expect.stringMatching(/^READER_DATABASE_URL: its host is unknown/),
  });
});

it('other errors and an embedded server’s are not explained', () => {
  const bug = failed('22012');
  expect(explainConnection(bug, 'DATABASE_URL', 'postgres://db/air')).toBe(bug);
  const refused = failed('ECONNREFUSED');
  expect(explainConnection(refused, 'DATABASE_URL', undefined)).toBe(refused);
});

onEveryEngineInAll('a broken database', (engine) => {
  const onTimescale: [string, string, RegExp][] = [
    [
      'its extension was dropped',
      'drop extension timescaledb cascade',
      /and with it every reading.* restore a backup/,
    ],
    [
      'the server has no such version of its extension',
      "update pg_extension set extversion = '2.99.0' where extname = 'timescaledb'",
      /lacks the version of TimescaleDB that .*\. Install that version/,
    ],
  ];
  const onEach: [string, string, RegExp][] = [
    [
      'a schema was dropped',
      'drop schema rollup cascade',
      /a part .* is missing \(.*rollup.*\)\. .*only a backup/,
    ],
    [
      'a table was dropped',
      'drop table raw.sensor cascade',
      /a part .* is missing \(.*raw\.sensor.*\)\. .*only a backup/,
    ],
    [
      'the record of migrations was dropped',
      'drop table raw.migration cascade',
      /record of its migrations .* from a backup/,
    ],
    [
      'a right was revoked',
      'alter table rollup.freshness owner to current_user; revoke all on rollup.freshness from airseries_owner',
      /a right is missing \(.*freshness\)\. .*sql\/service\.sql/,
    ],
  ];
  it.each([...onEach, ...(engine === 'timescale' ? onTimescale : [])])(
    'a start fails with the remedy if %s',
    async (_, damage, remedy) => {
      const database = await testDatabase(engine);
      onTestFinished(() => database.drop());
      await database.superuser().unsafe(damage).simple();
      const now = new Date('2026-11-20T12:00:00Z');
      const starting = migrate(database.target, { now, log: keepingLog() }).then(() =>
        refresh(database.target, () => now),
      );
      const refused = starting.catch((error) =>
        Promise.reject(explainConnection(error, 'DATABASE_URL', undefined)),
      );
      await expect(refused).rejects.toThrow(remedy);
    },
  );

  const extensions: [string, boolean][] = [
    ['dropped', false],
    ['dropped and created again', true],
  ];
  it.each(engine === 'timescale' ? extensions : [])(
    'no reading is accepted after TimescaleDB was %s while the service runs',
    async (_, isRemade) => {
      const database = await testDatabase(engine);
      onTestFinished(() => database.drop());
      await bringIn(database.as(), smallNetwork());
      const sender = () => {
        const writes = openIngestPool(database.target, { timeZone: 'UTC', max: 1 });
        onTestFinished(() => writes.close());
        return (time: string) =>
          acceptReadings(writes, [reading(1, time, { pm25: 1 })], { now: NOW, source: 'test' });
      };
      const push = sender();
      expect(await push('2026-11-20T10:00:00Z')).toMatchObject({ accepted: 1 });
      await database.superuser().unsafe('drop extension timescaledb cascade');
      if (isRemade) await database.as().unsafe('create extension timescaledb');
      // the message depends on how this connection meets it
      await expect(push('2026-11-20T11:00:00Z')).rejects.toBeInstanceOf(Unavailable);
      const refused = await sender()('2026-11-20T12:00:00Z').catch((error) => error);
      expect(refused).toBeInstanceOf(Unavailable);
      expect(refused.message).toMatch(
        / timescaledb was dropped, and with it every reading.* restore a backup/,
      );
      expect(await database.superuser()`select from raw.readings`).toEqual([]);
    },
  );

  const dropped = ['schema logic', 'schema api', 'function logic.raise_data_version()'];
  it.each(isAll ? dropped : dropped.slice(-1))(
    'a dropped %s is made again by the next start',
    async (what) => {
      const database = await testDatabase(engine);
      onTestFinished(() => database.drop());
      await database.superuser().unsafe(`drop ${what} cascade`).simple();
      const log = keepingLog();
      await migrate(database.target, { now: new Date('2026-11-20T12:00:00Z'), log });
      expect(log.lines.map(({ message }) => message).join()).toContain('building them again');
      const [row] =
        await database.superuser()`select refreshed_at from api.freshness, logic.raise_data_version()`;
      expect(row).toHaveProperty('refreshed_at');
    },
  );
});
