/**
 * Checks that the table of readings can still store them: a dump that was restored without the calls of
 * TimescaleDB around pg_restore looks complete, answers, and loses what is written. Read by any
 * role, at start and by readiness.
 */
import { type Queryable, query } from '../database/query.ts';
import type { Engine } from './aggregates.ts';

const RESTORE_AGAIN =
  'Restore the dump again, into an empty database, as src/database/README.md says (Dumps)';

/**
 * Says what is wrong, with the remedy; undefined: nothing is. Rejects when the database doesn't answer.
 */
export async function storageFault(db: Queryable, engine: Engine): Promise<string | undefined> {
  const isHypertable =
    engine === 'plain'
      ? 'true'
      : `exists (select from timescaledb_information.hypertables
          where hypertable_schema = 'raw' and hypertable_name = 'readings')`;
  const [found] = (await query(
    db,
    `select
      exists (select from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
        where d.datname = current_database() and 'timescaledb.restoring=on' = any(s.setconfig)) as is_restoring,
      ${isHypertable} as is_hypertable,
      exists (select from pg_constraint c join pg_class r on r.oid = c.conrelid
        where r.relname = 'readings' and r.relnamespace::regnamespace::text = 'raw' and c.contype = 'p') as has_key`,
    [],
  )) as { is_restoring: boolean; is_hypertable: boolean; has_key: boolean }[];
  if (engine === 'timescale' && found?.is_restoring) {
    return (
      'TimescaleDB is still in the state of a restore (timescaledb.restoring is on), in which readings would get lost. ' +
      `Once pg_restore has ended, run in this database: select timescaledb_post_restore();`
    );
  }
  if (!found?.is_hypertable) {
    return (
      'raw.readings is no longer a hypertable: the extension timescaledb was dropped, and with it every reading and aggregate. ' +
      `${RESTORE_AGAIN}.`
    );
  }
  if (!found.has_key) {
    const first = 'Before pg_restore, run in it: select timescaledb_pre_restore();';
    return (
      'raw.readings has lost its primary key, so a restore failed in part, and readings are missing. ' +
      `${RESTORE_AGAIN}.${engine === 'timescale' ? ` ${first}` : ''}`
    );
  }
  return undefined;
}
