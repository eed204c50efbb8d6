/**
 * TimescaleDB is used by its public interface only: its private schemas may change with any
 * version, and an object that depends on them blocks its upgrade.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { refresh } from '../../src/aggregate/refresh.ts';
import { isNewer, isUntried, NEWEST_TRIED, timescaleInWords } from '../../src/schema/engine.ts';
import { NOW } from '../support/clock.ts';
import { testDatabase } from '../support/database.ts';
import { seeded } from '../support/random.ts';
import { bringIn, smallNetwork } from '../support/smallNetwork.ts';
import { needs } from '../support/tools.ts';

const ROOT = new URL('../../', import.meta.url).pathname;

describe('private schemas of TimescaleDB', () => {
  it('no file of src, sql and grafana names a private schema of TimescaleDB', () => {
    const files = ['sql', 'src', 'grafana'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
        join(folder, path),
      ),
    );
    const texts = files.filter((path) => /\.(sql|ts|json|ya?ml)$/.test(path));
    expect(texts.length).toBeGreaterThan(150);
    expect(
      texts.filter((path) => /_timescaledb_/.test(readFileSync(join(ROOT, path), 'utf8'))),
    ).toEqual([]);
  });

  it(
    'no object of the database depends on a private object of TimescaleDB',
    needs('timescale'),
    async () => {
      const database = await testDatabase('timescale');
      const found = await database.superuser()`
      with private as (select oid from pg_namespace where nspname ~ '^_timescaledb_'),
      foreign_object as (
        select 'pg_class'::regclass as class, oid from pg_class where relnamespace in (select oid from private)
        union all select 'pg_proc'::regclass, oid from pg_proc where pronamespace in (select oid from private)
        union all select 'pg_type'::regclass, oid from pg_type where typnamespace in (select oid from private)
      ),
      own as (
        select d.objid, pg_describe_object(d.classid, d.objid, d.objsubid) as object, d.refclassid, d.refobjid
        from pg_depend d
        left join pg_rewrite r on d.classid = 'pg_rewrite'::regclass and r.oid = d.objid
        left join pg_class c on c.oid = coalesce(r.ev_class, case when d.classid = 'pg_class'::regclass then d.objid end)
        left join pg_proc p on d.classid = 'pg_proc'::regclass and p.oid = d.objid
        where coalesce(c.relnamespace, p.pronamespace) in (select oid from pg_namespace where nspname in ('raw', 'rollup', 'logic', 'api'))
          -- the view of an aggregate is TimescaleDB's own
          and not exists (select from timescaledb_information.continuous_aggregates a where a.view_schema = 'rollup' and a.view_name = c.relname)
      )
      select own.object, pg_describe_object(f.class, f.oid, 0) as depends_on
      from own join foreign_object f on f.class = own.refclassid and f.oid = own.refobjid`;
      expect([...found]).toEqual([]);
      await database.drop();
    },
  );

  it(
    'TimescaleDB’s own logs of changes stay short, however many late readings come',
    needs('timescale', 'all'),
    async () => {
      const database = await testDatabase('timescale');
      const owner = database.as();
      const superuser = database.superuser();
      await bringIn(owner, smallNetwork());
      await owner`insert into raw.readings (measured_at, sensor_id, pm25)
      select at, 1, 5 from generate_series(timestamptz '2026-01-01', '2026-11-10', '1 hour') at`;
      await refresh(database.target, () => NOW);
      // the tests may look where the product may not
      const logs = await superuser<{ name: string }[]>`
      select c.oid::regclass::text as name from pg_class c
      where c.relnamespace in (select oid from pg_namespace where nspname ~ '^_timescaledb_') and c.relkind = 'r' and c.relname ~ 'invalidation_log'`;
      expect(logs.length).toBeGreaterThan(0);
      const entries = async () => {
        let all = 0;
        for (const { name } of logs) all += (await superuser.unsafe(`select from ${name}`)).length;
        return all;
      };
      const random = seeded(1);
      for (let n = 0; n < 25; n++) {
        await owner`update raw.readings set pm25 = pm25 + 1 where measured_at = '2026-01-01'::timestamptz + ${random.below(7_000)} * interval '1 hour'`;
        await refresh(database.target, () => NOW);
      }
      expect(await entries()).toBeLessThan(30);
      await database.drop();
    },
  );
});

describe('versions of TimescaleDB', () => {
  it.each([
    ['2.28', '2.28.0', false],
    ['2.30.0-dev', '2.29.2', true],
    ['3.0.0', '2.99.9', true],
    ['2.9.10', '2.10.0', false],
  ])('TimescaleDB %s is newer than %s: %s', (a, b, expected) => {
    expect(isNewer(a, b)).toBe(expected);
  });

  it('a version is marked if it is newer than those that were tried', () => {
    expect(timescaleInWords('9.0.0')).toBe(
      `9.0.0, newer than those tried (the newest is ${NEWEST_TRIED})`,
    );
    expect([isUntried(NEWEST_TRIED), isUntried('9.0.0'), timescaleInWords(null)]).toEqual([
      false,
      true,
      undefined,
    ]);
  });

  it.each([
    ['2.28.4', true],
    ['2.28.5', false],
    ['2.29.2', true],
    ['2.32.0', true],
    ['2.32.1', false],
    ['3.0.0', false],
  ])(
    'TimescaleDB %s is marked as failing to run operators’ own jobs on today’s PostgreSQL: %s',
    (version, warns) => {
      const said = timescaleInWords(version) ?? '';
      expect(said.includes('WARNING: its background jobs fail on PostgreSQL 15.20')).toBe(warns);
      expect(
        said.endsWith(
          'airseries has none, so its numbers are right; yours run with 2.28.5, 2.31.2, 2.32.1 or newer',
        ),
      ).toBe(warns);
    },
  );
});
