/** The database that a process opens. */
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/database/open.ts';

const bundled = { target: 'bundled', embedded: true, close: async () => undefined };

it('a process opens the named database, else the bundled one, else it says what is missing', async () => {
  const open = async () => bundled;
  expect(await openDatabase('postgres://me@here/air', open)).toMatchObject({
    target: 'postgres://me@here/air',
    embedded: false,
  });
  expect(await openDatabase(undefined, open)).toBe(bundled);
  await expect(openDatabase(undefined, undefined)).rejects.toThrow(
    /^DATABASE_URL is missing, and there is no bundled database\. Set it to the address/,
  );
});
