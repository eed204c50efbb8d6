/**
 * Schema api for its readers: everything has a comment, and types are plain. Their other rights are
 * in test/database/roles.test.ts.
 */
import { beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { onOneEngine, type TestDatabase, testDatabase } from '../support/database.ts';

const PLAIN = ['int4', 'float8', 'text', 'bool', 'timestamptz'];

onOneEngine('schema api', (engine) => {
  let database: TestDatabase;
  let reader: Sql;
  beforeAll(async () => {
    database = await testDatabase(engine);
    reader = database.as('airseries_reader');
    return () => database.drop();
  });

  const columnsOfViews = () => reader<{ object: string; comment: string | null; type: string }[]>`
    select c.relname || '.' || a.attname as object, col_description(c.oid, a.attnum) as comment, t.typname as type
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
    where c.relnamespace = 'api'::regnamespace`;

  it('every view, column and function of schema api has a comment', async () => {
    const others = await reader<{ object: string; comment: string | null }[]>`
      select relname as object, obj_description(oid, 'pg_class') as comment
      from pg_class where relnamespace = 'api'::regnamespace
      union all
      select proname || '()', obj_description(oid, 'pg_proc') from pg_proc where pronamespace = 'api'::regnamespace`;
    const objects = [...others, ...(await columnsOfViews())];
    expect(objects.length).toBeGreaterThan(150);
    expect(
      objects.filter(({ comment }) => (comment ?? '').trim() === '').map(({ object }) => object),
    ).toEqual([]);
  });

  it('the comment of every measured column states a unit', async () => {
    const columns = (await columnsOfViews()).filter(({ object }) =>
      /\.((avg|min|max|total)_|aqi$)|_count$|itude$/.test(object),
    );
    expect(
      columns
        .filter(({ comment }) => !/ \[\S.*\]$/.test(comment ?? ''))
        .map(({ object }) => object),
    ).toEqual([]);
    expect(columns.find(({ object }) => object === 'station_daily.avg_no2')?.comment).toBe(
      'nitrogen dioxide, mean of the hours in the bucket [ppb]',
    );
  });

  it('every output column of a function is described in its comment, or in the view that the comment names', async () => {
    const functions = await reader<{ name: string; columns: string[]; comment: string }[]>`
      select p.proname as name, obj_description(p.oid, 'pg_proc') as comment,
        (select array_agg(n) from unnest(p.proargnames, p.proargmodes) as arguments(n, mode) where mode = 't') as columns
      from pg_proc p where p.pronamespace = 'api'::regnamespace and p.proretset`;
    expect(functions.length).toBeGreaterThan(20);
    const views = await reader<{ name: string; columns: string[] }[]>`
      select attrelid::regclass::text as name, array_agg(attname::text) as columns
      from pg_attribute join pg_class c on c.oid = attrelid
      where c.relnamespace = 'api'::regnamespace and attnum > 0 and not attisdropped group by 1`;
    for (const { name, columns, comment } of functions) {
      const elsewhere = views
        .filter((view) => new RegExp(`\\b${view.name}\\b`).test(comment))
        .flatMap((view) => view.columns);
      for (const column of columns.filter((each) => !elsewhere.includes(each)))
        expect(comment, name).toContain(column);
    }
  });

  it('schema api exposes only plain types', async () => {
    const columns = (await columnsOfViews()).filter(({ type }) => !PLAIN.includes(type));
    expect(columns).toEqual([]);
    const others = await reader`
      select p.proname || '.' || coalesce(n, 'result') as what, t.typname
      from pg_proc p
      cross join unnest(coalesce(p.proallargtypes, array[p.prorettype]), coalesce(p.proargmodes, '{t}'), coalesce(p.proargnames, '{}'))
        as output(type, mode, n)
      join pg_type t on t.oid = output.type
      where p.pronamespace = 'api'::regnamespace and output.mode = 't' and t.typname not in ${reader(PLAIN)}`;
    expect(others).toEqual([]);
  });
});
