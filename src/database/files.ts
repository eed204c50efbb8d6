/** Reads the SQL of this project: sql/ beside src/ and dist/. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const SQL = new URL('../../sql/', import.meta.url);

export function sqlFile(path: string): string {
  return readFileSync(new URL(path, SQL), 'utf8');
}

export function sqlFiles(folder: string): string[] {
  return readdirSync(new URL(`${folder}/`, SQL))
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => `${folder}/${name}`);
}

export function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
