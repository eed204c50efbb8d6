/** Migrating a database, or refusing it with an error that tells the remedy. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeLog } from '../../src/base/log.ts';
import type { DatabaseAddress } from '../../src/database/address.ts';
import { connect, type Sql } from '../../src/database/client.ts';
import { isUntried, serverVersions } from '../../src/schema/engine.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { MigrationRefused, readMigrations } from '../../src/schema/migrations.ts';
import { DEFINITIONS } from '../../src/schema/template.ts';
import { emptyDatabase, onEveryEngineInAll, testDatabase } from '../support/database.ts';
import { changedDefinitions } from '../support/definitions.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { untilWaiting } from '../support/lockWaits.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { needs } from '../support/tools.ts';

const now = new Date('2026-11-20T00:00:00Z');
const log = makeLog('silent');

onEveryEngineInAll('migrate', (engine) => {
  let target: DatabaseAddress;
  let sql: Sql;
  const use = async (database: { target: DatabaseAddress; drop(): Promise<void> }) => {
    target = database.target;
    sql = connect(target, {});
    return async () => {
      await sql.end();
      await database.drop();
    };
  };
  const run = (timeZone?: string, epoch?: string) => migrate(target, { timeZone, epoch, now, log });
  const refusal = async (work: Promise<unknown>) => {
    const error = await work.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MigrationRefused);
    return (error as Error).message;
  };

  describe('an empty database', () => {
    beforeEach(async () => use(await emptyDatabase(engine)));

    it('a migration records the default zone and the engine, and changes nothing when repeated', async () => {
      const first = await run();
      expect(first).toMatchObject({ timeZone: 'Asia/Yerevan', epoch: '2000-01-01', engine });
      expect(await run()).toEqual(first);
      expect(await run('Asia/Yerevan', '2000-01-01')).toEqual(first);
    });

    it('each migration is applied once when many processes start at the same time', async () => {
      const all = await Promise.all([run(), run(), run(), run()]);
      expect(new Set(all.map((one) => JSON.stringify(one))).size).toBe(1);
      const [row] = await sql`select count(*)::int as rows from raw.migration`;
      expect(row?.rows).toBe(all[0]?.applied);
    });

    it('a task before the migration runs while no other process can migrate', async () => {
      await run();
      let others: Promise<unknown> | undefined;
      let isOtherDone = false;
      const first = async (connection: Sql) => {
        others = run().then(() => {
          isOtherDone = true;
        });
        await untilWaiting(connection, { of: 'airseries migrate' });
        await connection`drop schema raw, rollup, logic, api cascade`;
        expect(isOtherDone).toBe(false);
      };
      const zoneOfNew = async () => 'Europe/Berlin';
      expect(await migrate(target, { now, log, zoneOfNew, first })).toMatchObject({
        timeZone: 'Europe/Berlin',
      });
      await others; // it finds the database that was just made
      const rows = await sql`select time_zone from raw.installation`;
      expect(rows).toEqual([{ time_zone: 'Europe/Berlin' }]);
    });

    it('a zone or an epoch other than the recorded one is refused (Z1)', async () => {
      await run('Europe/Berlin', '2011-01-01');
      expect(await refusal(run('Asia/Yerevan'))).toMatch(
        /TIME_ZONE is Asia\/Yerevan.*made for Europe\/Berlin/s,
      );
      expect(await refusal(run(undefined, '2012-01-01'))).toMatch(
        /EPOCH is 2012-01-01, but .* begins on 2011-01-01/,
      );
      expect(await run()).toMatchObject({ timeZone: 'Europe/Berlin', epoch: '2011-01-01' });
    });

    it('a database that was made for an abbreviated zone starts all the same (Z1)', async () => {
      await run('UTC');
      await sql`update raw.installation set time_zone = 'GMT'`; // Debian 13 has no other abbreviation
      for (const given of ['GMT', undefined])
        expect(await run(given)).toMatchObject({ timeZone: 'GMT' });
    });

    it('an unknown zone is refused, and nothing is changed (Z1)', async () => {
      expect(await refusal(run('Asia/Yerewan'))).toContain('no such zone');
      expect(await sql`select from pg_namespace where nspname = 'raw'`).toHaveLength(0);
    });
  });

  describe('a migrated database', () => {
    beforeEach(async () => use(await testDatabase(engine)));

    it('a TimescaleDB newer than the tested versions is logged, and used', async () => {
      const versions = await serverVersions(sql);
      const { lines, ...keeping } = keepingLog();
      await migrate(target, { timeZone: undefined, now, log: keeping });
      const isNew = versions.timescaledb !== null && isUntried(versions.timescaledb);
      expect(lines.filter(({ message }) => message.includes('newer than those tried')).length).toBe(
        isNew ? 1 : 0,
      );
    });

    it('schemas logic and api are built again only if somebody or another version changed them', async () => {
      const built = async () =>
        (await sql`select oid from pg_proc where oid = 'api.compass'::regproc`)[0]?.oid;
      const before = await built();
      await sql`grant select on api.station to airseries_ingest`; // which is an operator's to do
      await run();
      expect(await built()).toBe(before);
      await sql`create or replace function logic.possible(value float8) returns float8 language sql immutable return value`;
      await run();
      expect(await built()).not.toBe(before);
      expect((await sql`select logic.possible('NaN') as value`)[0]?.value).toBeNull();
      const again = await built();
      await run();
      expect(await built()).toBe(again);
      const version = async () =>
        (await sql`select data_version from rollup.freshness`)[0]?.data_version;
      const shown = await version();
      await sql`update raw.installation set repeatable = 'of another version'`;
      await run();
      expect(await built()).not.toBe(again);
      expect(await version(), 'it may publish other numbers').toBeGreaterThan(shown);
    });

    it('the owner gets its rights in a restored database, as dumps do not contain them', async () => {
      await sql`do $$ begin execute format('revoke all on database %I from airseries_owner', current_database()); end $$`;
      await sql`update raw.installation set repeatable = 'of another version'`;
      await run();
      expect(await sql`select from pg_namespace where nspname = 'logic'`).toHaveLength(1);
    });

    const first = (change: string) => `update raw.migration set ${change} where number = 1`;
    const candidate =
      /release candidate made.*network export.*readings to files.*Make a new database.*import/;
    it.each([
      [
        'a changed migration',
        first("checksum = 'x'"),
        /Migration 1 \(tables\) was changed.*Put the file back/,
      ],
      [
        'a gap in the record of migrations',
        'update raw.migration set number = number + 1 where number = (select max(number) from raw.migration)',
        /gap.*Restore/,
      ],
      [
        'a database that is newer than the program',
        "insert into raw.migration select max(number) + 1, 'of_tomorrow', 'x', now() from raw.migration",
        /newer than this program.*of_tomorrow.*Install the newer version/,
      ],
      [
        'a database of a release candidate',
        first("checksum = '40df9c1a26e50123456789'"),
        candidate,
      ],
      ['a database of another', first("checksum = 'bacd8c27bd500123456789'"), candidate],
      [
        'a database of a development version',
        first("name = 'floors'"),
        /"floors".*before the first release.*Make a new database.*import/,
      ],
    ])('%s is refused with the remedy', async (_, change, remedy) => {
      await sql.unsafe(change);
      expect(await refusal(run())).toMatch(remedy);
    });
  });
});

it(
  'a database whose recorded engine the server no longer has is refused',
  needs('timescale'),
  async () => {
    const { target, as, drop } = await testDatabase('plain');
    await as()`update raw.installation set engine = 'timescale'`;
    await expect(migrate(target, { timeZone: undefined, now, log })).rejects.toThrow(
      /shared_preload_libraries/,
    );
    await drop();
  },
);

describe('the migration files', () => {
  const definitions = (...names: string[]) => {
    const made = changedDefinitions(temporaryFolder('sql'));
    rmSync(new URL('migrations/', made.folder), { recursive: true });
    mkdirSync(new URL('migrations/', made.folder));
    for (const name of names)
      writeFileSync(new URL(`migrations/${name}`, made.folder), `-- ${name}\n`);
    return made;
  };

  it.each([
    [['0001_a.sql', '0003_c.sql']],
    [['0001_a.sql', '0001_b.sql']],
    [['0001_a.sql', '0001_b.plain.sql']],
    [['1_a.sql']],
  ])('migration files with gaps, duplicates or other names are refused: %s', (names) => {
    expect(() => readMigrations(definitions(...names), 'plain')).toThrow(
      /migrations are named 0001_name.sql/,
    );
  });

  it('a migration file may have digits in its name, and a variant for each engine after the common part', () => {
    const made = definitions(
      '0001_pm25.sql',
      '0002_b.plain.sql',
      '0002_b.timescale.sql',
      '0002_b.sql',
    );
    expect(readMigrations(made, 'timescale').map(({ name, text }) => [name, text])).toEqual([
      ['pm25', '-- 0001_pm25.sql\n'],
      ['b', '-- 0002_b.sql\n\n-- 0002_b.timescale.sql\n'],
    ]);
  });

  it('the checksum of a migration ignores comments and white space, except in quotes', () => {
    const checksum = (text: string) => {
      const folder = temporaryFolder('sql');
      mkdirSync(join(folder, 'migrations'));
      writeFileSync(join(folder, 'migrations', '0001_a.sql'), text);
      return readMigrations({ ...DEFINITIONS, folder: pathToFileURL(`${folder}/`) }, 'plain')[0]
        ?.checksum;
    };
    const original = checksum(
      '-- it\'s one\nselect \'a  b\' as "c  d",\n  1; -- "\n/* the\nend */',
    );
    expect(checksum('select   \'a  b\' /* so */ as "c  d", 1;\r\n')).toBe(original);
    for (const other of [
      'select \'a b\' as "c  d", 1;',
      'select \'a  b\' as "c d", 1;',
      'select \'a  b\' as "c  d", 2;',
      'select \'a -- b\' as "c  d", 1;',
    ]) {
      expect(checksum(other), other).not.toBe(original);
    }
  });
});
