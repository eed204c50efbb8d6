/** The database of a process: the one that its configuration names, or the bundled one. */
import type { Database } from './address.ts';

/** `bundled` opens the bundled database, if there is one. The other is not connected to yet. */
export async function openDatabase(
  databaseUrl: string | undefined,
  bundled: (() => Promise<Database>) | undefined,
): Promise<Database> {
  if (databaseUrl !== undefined)
    return { target: databaseUrl, embedded: false, close: async () => undefined };
  if (bundled !== undefined) return await bundled();
  throw new Error(
    'DATABASE_URL is missing, and there is no bundled database. Set it to the address of a PostgreSQL database, such as postgres://user:password@host:5432/air.',
  );
}
