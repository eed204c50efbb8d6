/**
 * Objects that operators build on schemas api, logic and rollup outlive the replacement of these,
 * or the migration is refused before it changes anything.
 */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { makeLog } from '../../src/base/log.ts';
import type { DatabaseAddress } from '../../src/database/address.ts';
import type { Sql } from '../../src/database/client.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { MigrationRefused } from '../../src/schema/migrations.ts';
import { onEveryEngineInAll, testDatabase } from '../support/database.ts';
import { changedDefinitions } from '../support/definitions.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { bringIn, smallNetwork } from '../support/smallNetwork.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const now = new Date('2026-11-20T00:00:00Z');
const log = makeLog('silent');

/** Views on several levels, with everything that can be lost. */
const REPORTS = `
create schema reports authorization ANALYST;
grant usage on schema api to ANALYST with grant option;
grant select on api.station to ANALYST with grant option;
grant select (bucket) on rollup.region_daily to ANALYST;
grant execute on function api.compass to ANALYST;
grant usage on schema logic to ANALYST;
grant select on all tables in schema api to ANALYST;
alter default privileges for role airseries_owner in schema api grant select on tables to ANALYST;
create view reports.stations with (security_barrier = true, check_option = local) as
  select id, 'api.station' as source, round(latitude) as "Lat" from api.station s where id > 0;
alter view reports.stations alter column source set default 'none';
comment on view reports.stations is 'it''s ours';
comment on column reports.stations."Lat" is 'whole degrees';
create view reports.count as select count(*) as stations from reports.stations;
create view reports.double as select 2 * id as id, api.compass(10) as wind from reports.stations;
create view reports.regions as select slug from api.region;
comment on view reports.regions is 'cities and districts';
create view reports.days as select count(*) from rollup.region_daily;
grant select on reports.stations, reports.double to GUEST;
grant select (slug) on reports.regions to GUEST;
`;

onEveryEngineInAll('objects that operators build on our schemas', (engine) => {
  let target: DatabaseAddress;
  let sql: Sql;
  let analyst: string;
  let guest: string;

  beforeEach(async () => {
    const database = await testDatabase(engine);
    target = database.target;
    sql = database.superuser();
    const name = database.target.database;
    analyst = `Analyst of ${name}`;
    guest = `guest_${name}`;
    await sql.unsafe(`create role "${analyst}"; create role ${guest}`).simple();
    await bringIn(database.as(), smallNetwork());
    return async () => {
      await sql
        .unsafe(`drop owned by "${analyst}", ${guest} cascade; drop role "${analyst}", ${guest}`)
        .simple();
      await database.drop();
    };
  });

  const build = (statements: string) =>
    sql
      .unsafe(statements.replaceAll('ANALYST', `"${analyst}"`).replaceAll('GUEST', guest))
      .simple();
  const buildReports = async () => {
    await build(REPORTS);
    for (const { name } of await sql`select oid::regclass::text as name from pg_class
        where relnamespace = 'reports'::regnamespace and relkind in ('r', 'v', 'm') and relowner <> ${`"${analyst}"`}::regrole`)
      await sql.unsafe(`alter table ${name} owner to "${analyst}"`);
  };
  /** Everything about the reports, except by whom privileges were granted. */
  const reports = async () => ({
    relations: await sql`
      select relname, relkind, pg_get_viewdef(oid) as definition, reloptions, relowner::regrole,
        array(select a::text from aclexplode(relacl) a order by 1)::text as acl, obj_description(oid, 'pg_class') as comment,
        (select json_agg(json_build_array(attname, attacl, col_description(attrelid, attnum), atthasdef) order by attnum)
         from pg_attribute where attrelid = pg_class.oid and attnum > 0) as columns
      from pg_class where relnamespace = 'reports'::regnamespace and relkind in ('r', 'v', 'm') order by 1`,
    granted: await sql`
      select item, a.privilege_type, a.is_grantable from (
        select oid::regclass::text as item, relacl as acl from pg_class where relnamespace::regnamespace::text in ('api', 'rollup')
        union all select attrelid::regclass || '.' || attname, attacl from pg_attribute where attrelid = 'rollup.region_daily'::regclass
        union all select oid::regprocedure::text, proacl from pg_proc where pronamespace = 'api'::regnamespace
        union all select nspname, nspacl from pg_namespace where nspname in ('api', 'logic')
        union all select defaclnamespace::regnamespace::text || ' default', defaclacl from pg_default_acl
      ) o, aclexplode(acl) a where a.grantee = ${`"${analyst}"`}::regrole order by 1, 2`,
    rows: [
      await sql`select * from reports.stations order by id`,
      await sql`select * from reports.double order by id`,
      await sql`select * from reports.regions order by slug`,
      await sql`select * from reports.count, reports.days`,
    ],
  });
  const leftovers = () => sql`select nspname from pg_namespace where nspname ~ '_(next|old)$'`;
  /** The message of a refused migration, and the definitions of the objects that it refused. */
  const refusal = async (work: Promise<unknown>) => {
    const error = await work.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MigrationRefused);
    const { message } = error as Error;
    const [, file] = /The definitions are in (\S+)\./.exec(message) ?? [];
    const definitions = file === undefined ? '' : readFileSync(file, 'utf8');
    if (file !== undefined) rmSync(file);
    return { message, definitions };
  };
  const api = async () => (await sql`select 'api.station'::regclass::oid as oid`)[0]?.oid;
  const state = async () => ({
    api: await api(),
    hours: await sql`select 'rollup.sensor_hourly'::regclass::oid`,
    applied: await sql`select number from raw.migration order by 1`,
    installation: await sql`select * from raw.installation`,
    reports: await reports(),
  });

  /** The definitions of a later version, which changes the aggregates. */
  const withRain = () =>
    changedDefinitions(temporaryFolder('sql'), 'rollups/sensor_hourly.sql', (text) =>
      text.replace('sum(rain::float8)', '2 * sum(rain::float8)'),
    );

  it('views and rights of operators are as before a migration that changes the aggregates', async () => {
    await buildReports();
    const before = await reports();
    const ours = await api();
    expect(before.rows[1]).toHaveLength(2);
    expect(before.granted.length).toBeGreaterThan(20);
    const definitions = withRain();
    const lines = keepingLog();
    await migrate(target, { now, log: lines, definitions });
    expect(await api()).not.toBe(ours);
    expect(await reports()).toEqual(before);
    expect(await leftovers()).toEqual([]);
    expect(
      lines.lines.filter(({ level }) => level === 'warn').map(({ message }) => message),
    ).toEqual([]);
    const remade = lines.lines.find(({ message }) => message.endsWith('was made again'));
    expect(remade?.fields).toMatchObject({
      objects: expect.arrayContaining(['view reports.stations', 'view reports.double']),
    });
    await sql`update raw.station set latitude = 0 where id = 1`;
    expect((await sql`select "Lat" from reports.stations where id = 1`)[0]).toEqual({ Lat: 0 });
    await migrate(target, { now, log }); // and back
    expect(await reports()).toMatchObject({
      relations: before.relations,
      granted: before.granted,
    });
  });

  if (engine === 'timescale')
    it('a migration is refused if an operator’s continuous aggregate reads ours, and names it', async () => {
      await buildReports();
      await sql`
      create materialized view public.hourly with (timescaledb.continuous) as
      select time_bucket('1 hour', bucket, origin => '1999-12-31 20:00+00') as hour, region_slug, avg(pm25) as pm25
      from rollup.region_hourly group by 1, 2 with no data`;
      await sql`update raw.installation set rollups = 'of another version'`;
      const before = await state();
      expect((await refusal(migrate(target, { now, log }))).message).toMatch(
        /view \S*_view_\d+ \(owner \w+\): only plain views/,
      );
      expect(await state()).toEqual(before);
    });

  it('a migration that would break operators’ objects names them all and changes nothing, and no pending one is applied', async () => {
    await buildReports();
    await build(`
        create view reports.lines as select reason, lines from api.quarantine_lines;
        create function reports.lines() returns setof api.quarantine_lines language sql as 'select * from api.quarantine_lines';
        create table reports.notes (id int primary key, wind text default api.compass(10),
          "Is north" boolean generated always as (api.compass(id) = 'N') stored,
          constraint "no calm" check (wind <> api.compass(id)));
        create domain reports.wind as text constraint "not north" check (value <> api.compass(0));
        create view api.mine as select 1 as one;
        create materialized view reports.kept as select s.id from api.station s;
        create unique index kept_id on reports.kept (id);
        create function reports.named(wanted int) returns bigint language sql stable begin atomic
          select count(*) from api.station where id = wanted;
        end;
        create rule only_read as on update to api.station do instead nothing;`);
    const definitions = changedDefinitions(temporaryFolder('sql'), 'api/60_service.sql', (text) =>
      text
        .replace('as lines from', 'as n from')
        .replace('quarantine_lines.lines', 'quarantine_lines.n'),
    );
    const number = String(1 + (await state()).applied.length).padStart(4, '0');
    const file = new URL(`migrations/${number}_later.sql`, definitions.folder);
    writeFileSync(file, 'alter table raw.readings add column later real;');
    const before = await state();
    const { message, definitions: written } = await refusal(
      migrate(target, { now, log, definitions }),
    );
    for (const named of [
      /view reports.lines \(owner \w+\): column .*lines"? does not exist/,
      /function reports.lines\(\) \(owner \w+\): only plain views/,
      /function reports.named\(integer\) \(owner \w+\): only plain views/,
      /materialized view reports.kept \(owner \w+\): only plain views/,
      /default value for column wind of table reports.notes \(owner .*only plain views/,
      /default value for column Is north of table reports.notes \(owner .*only plain views/,
      /constraint no calm on table reports.notes \(owner .*only plain views/,
      /constraint not north .*only plain views/,
      /view api.mine \(owner .*only plain views/,
      /rule only_read on view api.station \(owner .*only plain views/,
    ])
      expect(message).toMatch(named);
    expect(message).toMatch(/Nothing was changed.*alter … set schema.*start again/);
    expect(message.split('\n')).toHaveLength(12);
    expect(await state()).toEqual(before);
    expect(await leftovers()).toEqual([]);
    await migrate(target, { now, log }); // the version of this database, which changes nothing
    expect(await state()).toEqual(before);

    await build(`
        create schema attic;
        alter view api.mine set schema attic;
        drop view reports.lines; drop function reports.lines, reports.named; drop materialized view reports.kept;
        alter table reports.notes alter column wind drop default, drop column "Is north", drop constraint "no calm";
        alter domain reports.wind drop constraint "not north";
        drop rule only_read on api.station;`);
    await migrate(target, { now, log, definitions });
    const fits = written.split(/\n\n(?=-- )/).filter((text) => !text.startsWith('-- view'));
    expect(fits).toHaveLength(8);
    await sql.unsafe(fits.join('\n')).simple();
    await sql`insert into reports.notes (id) values (180)`;
    expect([...(await sql`select * from reports.notes`)]).toEqual([
      { id: 180, wind: 'N', 'Is north': false },
    ]);
    await expect(sql`insert into reports.notes (id) values (10)`).rejects.toThrow('no calm');
    await expect(sql`select 'N'::reports.wind`).rejects.toThrow('not north');
    await sql.unsafe('refresh materialized view concurrently reports.kept');
    expect(await api()).not.toBe(before.api);
  });

  it('the definitions of refused objects are in one file, or in the error if none can be written', async () => {
    await sql`create materialized view public.kept as select id from api.station`;
    await sql`update raw.installation set repeatable = 'of another version'`;
    const folder = temporaryFolder('definitions');
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('TMPDIR', folder);
    const lines = keepingLog();
    const refused = () =>
      migrate(target, { now, log: lines }).catch(({ message }: Error) => message);
    const first = await refused();
    expect(await refused()).toBe(first);
    const [name = '', ...others] = readdirSync(folder);
    expect([first, others]).toEqual([expect.stringContaining(name), []]);
    const file = join(folder, name);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    expect(
      lines.lines.flatMap(({ level, fields }) =>
        'definitions' in fields ? [[level, `${fields.definitions}\n`]] : [],
      ),
    ).toEqual([
      ['warn', text],
      ['warn', text],
    ]);
    writeFileSync(file, 'written by somebody else');
    const second = join(folder, name.replace('.sql', '-2.sql'));
    expect([await refused(), await refused()]).toEqual([
      expect.stringContaining(`in ${second}.`),
      expect.stringContaining(`in ${second}.`),
    ]);
    expect([readFileSync(file, 'utf8'), readFileSync(second, 'utf8')]).toEqual([
      'written by somebody else',
      text,
    ]);
    expect(readdirSync(folder)).toHaveLength(2);
    vi.stubEnv('TMPDIR', '/nowhere');
    const { message } = await refusal(migrate(target, { now, log }));
    expect(message).toMatch(
      /could not be written to a file \(ENOENT.*-- materialized view public.kept, owner \w+\ncreate materialized view public.kept as/s,
    );
  });

  it('operators’ views are made again by a login that is no superuser, or its missing right is named', async () => {
    await buildReports();
    const login = `login_${guest}`;
    await sql
      .unsafe(`
      create role ${login} login createrole in role airseries_owner, airseries_ingest, airseries_reader;
      do $$ begin execute format('alter database %I owner to ${login}', current_database()); end $$`)
      .simple();
    const address = { ...(target as object), user: login } as DatabaseAddress;
    await sql`update raw.installation set repeatable = 'of another version'`;
    const before = await state();
    expect((await refusal(migrate(address, { now, log }))).message).toMatch(
      /view reports.stations \(owner "Analyst of .*must be owner|permission denied to set role/,
    );
    expect(await state()).toEqual(before);
    await sql.unsafe(`grant "${analyst}" to ${login}`);
    await migrate(address, { now, log });
    expect(await api()).not.toBe(before.api);
    expect(await reports()).toEqual(before.reports);
    await sql
      .unsafe(`do $$ begin execute format('alter database %I owner to %I', current_database(), current_user); end $$;
      drop owned by ${login}; drop role ${login}`)
      .simple();
  });

  it('a migration and readers of operators’ views do not deadlock', async () => {
    await buildReports();
    const definitions = withRain();
    let isOver = false;
    const reads = [1, 2, 3].map(async () => {
      while (!isOver) await sql`select * from reports.days`;
    });
    await migrate(target, { now, log, definitions }).finally(() => {
      isOver = true;
    });
    await expect(Promise.all(reads)).resolves.toHaveLength(3);
  });

  it('operators’ views on the schemas that an earlier version left behind are not dropped with them', async () => {
    await sql`create schema api_old authorization airseries_owner`;
    await sql`create view api_old.station as select 1 as id`;
    await sql`alter view api_old.station owner to airseries_owner`;
    await sql`create view public.of_before as select id from api_old.station`;
    expect((await refusal(migrate(target, { now, log }))).message).toMatch(
      /\(api_old\).*depends on them: view (public\.)?of_before/,
    );
    await sql`drop view public.of_before`;
    await migrate(target, { now, log });
    expect(await leftovers()).toEqual([]);
  });
});
