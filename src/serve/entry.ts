/**
 * A document and until when it holds, which follows from the rows that it was made of.
 */
import type { Locale } from '../contract/endpoints.ts';
import { type Document, renderDocument } from './document.ts';

export type Validity = {
  /** The first instant at which it would change without new data. */
  validUntil: Date;
  /** The data version that was visible to the query. */
  version: number;
};

export type Entry = Validity & { document: Document };

/**
 * Columns of every row that a document is made of: the first instant at which it changes without
 * new data, and the data version.
 */
export type Row = { valid_until?: string | null; data_version: number | null };

/** The last instant that a Date can hold. */
export const NEVER = 8.64e15;

/**
 * The validity of a document that is made of these rows; version 0 without any, since an empty
 * network isn't worth keeping.
 */
export function validityOf(rows: readonly Row[]): Validity {
  let end = NEVER;
  let version = rows.length === 0 ? 0 : Number.POSITIVE_INFINITY;
  for (const row of rows) {
    if (row.valid_until) end = Math.min(end, Date.parse(row.valid_until));
    version = Math.min(version, row.data_version ?? 0);
  }
  return { validUntil: new Date(end), version };
}

/** The validity of a document that is made of both. */
export const earlier = (a: Validity, b: Validity): Validity => ({
  validUntil: a.validUntil < b.validUntil ? a.validUntil : b.validUntil,
  version: Math.min(a.version, b.version),
});

/** The entry of a document that is made of one row. */
export const entryOf = (locale: Locale, json: string, row: Row): Entry => ({
  document: renderDocument(locale, json),
  ...validityOf([row]),
});
