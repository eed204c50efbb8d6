/** The SQL that builds a database, rendered as reviewers read it. */
import { buildRollups, type Engine, LEVELS } from '../../src/schema/aggregates.ts';
import { repeatableSql } from '../../src/schema/repeatable.ts';
import type { Definitions } from '../../src/schema/template.ts';

const CALENDAR = { timeZone: 'Asia/Yerevan', origin: '1999-12-31 20:00:00+00' };
const COLUMNS = Object.fromEntries(LEVELS.map(({ name }) => [name, []]));

/** The lines of the SQL. */
export const renderedSql = (definitions: Definitions, engine: Engine): string[] =>
  [
    buildRollups(definitions, engine, CALENDAR),
    repeatableSql(definitions, engine, CALENDAR, COLUMNS),
  ]
    .join('\n')
    .split('\n');
