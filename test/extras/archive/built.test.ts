/** The archive as the worker makes it and the service sends it: each file is the one of the index. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeArchive } from '../../../src/extras/archive/makeArchive.ts';
import { NOW } from '../../support/clock.ts';
import { onOneEngine } from '../../support/database.ts';
import {
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../../support/installation.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { type Launched, launchForSuite } from '../../support/launch.ts';

onOneEngine('the archive that was made', (engine) => {
  const timeZone = 'Asia/Yerevan';
  let here: Installation;
  let service: Launched;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'airseries-archive-'));
    here = await install(engine, citiesOfOneStation(['town']));
    const from = Date.parse('2026-09-20T00:30:00Z');
    const hours = [...Array(30 * 24).keys()];
    await here.accept(hours.map((n) => reading(1, from + n * 3_600_000, { pm25: 10 + (n % 7) })));
    await here.refresh(NOW);
    const license = undefined;
    const options = { folder, timeZone, now: NOW, log: keepingLog(), terminal: false, license };
    await makeArchive(here.database.target, options);
    service = await launchForSuite(here, { role: 'api', ...{ archiveDirectory: folder } });
  });
  afterAll(async () => {
    await service?.stop();
    await here?.close();
    rmSync(folder, { recursive: true });
  });

  const get = (path: string) =>
    fetch(`http://127.0.0.1:${service.port.public}/archive/${path}`, { redirect: 'manual' });
  type Resource = { path: string; bytes: number; hash: string; modified: string };
  const resources = async () =>
    ((await (await get('datapackage.json')).json()) as { resources: Resource[] }).resources;

  it('every file of the index is sent with the hash of the index as its validator', async () => {
    const listed = await resources();
    expect(listed.map(({ path }) => path)).toContain('hours/2026-10.parquet');
    for (const { path, bytes, hash, modified } of listed) {
      const answer = await get(path);
      const body = Buffer.from(await answer.arrayBuffer());
      expect([path, answer.status, body.length]).toEqual([path, 200, bytes]);
      expect(`sha256:${createHash('sha256').update(body).digest('hex')}`).toBe(hash);
      expect(answer.headers.get('etag'), path).toBe(`"${hash.slice(7, 39)}"`);
      expect(answer.headers.get('last-modified')).toBe(new Date(modified).toUTCString());
    }
  });

  it('the page lists the same files, and every link on it leads to a file', async () => {
    const page = await fetch(`http://127.0.0.1:${service.port.public}/en/archive`);
    const body = await page.text();
    const linked = [...body.matchAll(/href="\/archive\/([^"]+)"/g)].map(([, path = '']) => path);
    const listed = (await resources()).map(({ path }) => path);
    expect([...linked].sort()).toEqual([...listed, 'datapackage.json'].sort());
    expect(body).toContain('<td>2026-10-01 – 2026-10-20</td>');
    for (const path of linked) expect((await get(path)).status, path).toBe(200);
  });

  it('DuckDB finds the months in the index', async () => {
    const connection = await (await DuckDBInstance.create()).connect();
    await connection.run(`set variable hours = (select list('${folder}/' || path)
      from (select unnest(resources, recursive := true) from '${folder}/datapackage.json') where path like 'hours/%')`);
    const read = await connection.runAndReadAll(
      "select station_id, count(*)::int as hours from read_parquet(getvariable('hours')) group by station_id",
    );
    expect(read.getRowObjectsJson()).toEqual([{ station_id: 1, hours: 720 }]);
    connection.closeSync();
  });
});
