/**
 * Rule Z1: nearly every inhabited zone is accepted, some only with a later epoch, which the error
 * then gives.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { checkTimeZone } from '../../src/schema/engine.ts';
import { isAll, onOneEngine, type TestDatabase, testDatabase } from '../support/database.ts';

const now = new Date('2026-11-20T00:00:00Z');

const MORE = [
  ...['UTC', 'Asia/Kolkata', 'Asia/Kathmandu', 'Asia/Yangon', 'Asia/Kabul'].map((zone) => [
    zone,
    '2000-01-01',
  ]),
  ['Asia/Jerusalem', '2005-01-01'],
  ['America/Caracas', '2016-06-01'],
  ['Asia/Amman', '2022-01-01'],
] as [string, string][];

onOneEngine('a time zone', (engine) => {
  let database: TestDatabase;
  let sql: Sql;
  beforeAll(async () => {
    database = await testDatabase(engine);
    sql = database.as();
  });
  afterAll(() => database.drop());

  it.each<[string, string]>([
    ['Singapore', '2000-01-01'],
    ['Asia/Tehran', '2000-01-01'],
    ['Australia/Adelaide', '2000-01-01'],
    ['America/St_Johns', '2011-01-01'],
    ['Asia/Colombo', '2006-05-01'],
    ['Asia/Pyongyang', '2018-06-01'],
    ...(isAll ? MORE : []),
  ])('%s is accepted with epoch %s (Z1)', async (zone, epoch) => {
    await checkTimeZone(sql, zone, epoch, now);
  });

  it.each([
    ['Asia/Yerewan', '2000-01-01', 'no such zone'],
    ['CET', '2000-01-01', /^TIME_ZONE CET: it is an abbreviation.* such as Europe\/Berlin\.$/],
    ['EST5EDT', '2000-01-01', 'it is an abbreviation'],
    [
      'Australia/Lord_Howe',
      '2000-01-01',
      /its offset from full hours changed\. Such zones are not supported/,
    ],
    ['America/Havana', '2000-01-01', /midnight .* occurred twice\. Such zones are not supported/],
    [
      'America/St_Johns',
      '2000-01-01',
      /midnight .* occurred twice\. With EPOCH=2010-12-01 or later/,
    ],
    ['Asia/Jerusalem', '2000-01-01', /midnight .* occurred twice\. With EPOCH=2004-10-01 or later/],
    [
      'Asia/Colombo',
      '2006-04-01',
      /its offset from full hours changed\. With EPOCH=2006-05-01 or later/,
    ],
    ['Asia/Pyongyang', '2018-05-01', /With EPOCH=2018-06-01 or later/],
  ])(
    '%s is refused with epoch %s, and the error says which epoch is possible (Z1)',
    async (zone, epoch, reason) => {
      await expect(checkTimeZone(sql, zone, epoch, now)).rejects.toThrow(reason);
    },
  );
});
