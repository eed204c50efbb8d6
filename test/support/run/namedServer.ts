/**
 * A running server with TimescaleDB, such as the database of docker-compose.yml in CI. Databases
 * created here are dropped afterwards; templates also before, since an interrupted run may have
 * left outdated ones.
 */
import type { DatabaseAddress } from '../../../src/database/address.ts';
import { onConnection, type Sql } from '../../../src/database/client.ts';
import { offeredEngine } from '../../../src/schema/engine.ts';

type Place = Exclude<DatabaseAddress, string> & { password: string };

/** `url` must log in as a superuser. */
export async function openNamedServer(
  url: string,
): Promise<{ target: Place; version: string; close(): Promise<void> }> {
  const { hostname, port, username, password } = new URL(url);
  const target = {
    host: decodeURIComponent(hostname),
    port: Number(port === '' ? 5432 : port),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: 'postgres',
  };
  const clean = () => onConnection(target, { name: 'airseries tests' }, dropTemplates);
  await clean();
  return { target, version: await versionOf(target), close: clean };
}

async function dropTemplates(sql: Sql): Promise<void> {
  const made = await sql<{ name: string }[]>`
    select datname as name from pg_database where datname ~ '^template_[0-9a-f]{32}$'`;
  for (const { name } of made) await sql.unsafe(`drop database ${name} with (force)`);
}

/**
 * Throws unless the server has TimescaleDB, since the tests would silently cover plain PostgreSQL
 * instead.
 */
async function versionOf(target: Place): Promise<string> {
  return await onConnection(target, {}, async (sql) => {
    const { engine, why } = await offeredEngine(sql);
    if (engine !== 'timescale')
      throw new Error(`TEST_TIMESCALE_URL names a server without TimescaleDB Community: ${why}`);
    const [row] = await sql<
      { version: string }[]
    >`select split_part(current_setting('server_version'), ' ', 1) as version`;
    return `${row?.version}, ${why}, named by TEST_TIMESCALE_URL`;
  });
}
