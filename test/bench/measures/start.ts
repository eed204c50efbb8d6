/** B10: memory under load next to a bare Express app, and how soon a service answers when its database is up. */
import { addressVariables, freePort, launch } from '../../support/program.ts';
import { fetchRaw, startBare } from '../load/bare.ts';
import { memoryOf } from '../load/memory.ts';
import { type Context, figure, type Measure, type Row } from '../run/measure.ts';
import { BASE, startService } from '../run/service.ts';
import { bootstrap, median } from '../run/statistics.ts';
import { NOW, TIME_ZONE, type World } from '../run/world.ts';

/** While both answer the same history, ours also every other document of the town. */
async function memory(context: Context, { database, stations }: World): Promise<Row> {
  const service = await startService(database);
  const ids = Array.from({ length: stations }, (_, n) => n + 1);
  const paths = ids.flatMap((id) => [`${BASE}/station/${id}-history.json`, `${BASE}/station/${id}.json`]);
  const express = await startBare(await fetchRaw(service.port, paths[0] as string), 'express');
  const samples: [number[], number[]] = [[], []];
  try {
    for (let round = 0; round < (context.quick ? 3 : 9); round++) {
      for (const [index, { port, pid }] of [service, express].entries()) {
        const loading = context.generator.run({ port, paths, connections: 32, seconds: 2 });
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        samples[index]?.push(memoryOf(pid, 'VmRSS'));
        await loading;
      }
    }
  } finally {
    express.close();
    await service.close();
  }
  const [ours, bare] = samples;
  return {
    id: 'B10',
    title: 'memory under load ÷ Express with one prepared response',
    value: bootstrap(ours.map((one, round) => one / (bare[round] ?? Number.NaN))),
    unit: '',
    better: 'lower',
    must: 2,
    goal: 1.5,
    detail: `${figure(median(ours))} : ${figure(median(bare))} MiB`,
  };
}

/** From the start of the process to the first 200 of the list of stations. */
async function starting(context: Context, { database }: World): Promise<Row> {
  const took: number[] = [];
  const program = new URL('../../../dist/main.js', import.meta.url).pathname;
  for (let round = 0; round < (context.quick ? 3 : 9); round++) {
    const [PORT, ADMIN_PORT, INGEST_PORT] = [await freePort(), await freePort(), await freePort()];
    const own = {
      ...addressVariables(database.target),
      DATABASE_URL: 'postgres://',
      TIME_ZONE,
      FIXED_NOW: NOW.toISOString(),
    };
    const begun = performance.now();
    const environment = { ...own, PORT, ADMIN_PORT, INGEST_PORT, LOG_LEVEL: 'warn', DRAIN_SECONDS: '0', DEMO: 'off' };
    const service = launch([process.execPath, program], { environment });
    let status = 0;
    while (status !== 200 && performance.now() - begun < 30_000) {
      status = await fetchRaw(Number(PORT), `${BASE}/stations.json`).then(
        (response) => response.status,
        () => 0,
      );
      if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    took.push((performance.now() - begun) / 1_000);
    service.kill('SIGTERM');
    await service.finished;
    if (status !== 200) throw new Error(`the service did not answer: ${service.log()}`);
  }
  const detail = `shortest ${Math.min(...took).toFixed(2)} s, longest ${Math.max(...took).toFixed(2)} s`;
  const title = 'from start to the first 200, with the database up';
  return { id: 'B10', title, value: bootstrap(took), unit: 's', better: 'lower', must: 2, goal: 0.7, detail };
}

export const start: Measure = {
  ids: ['B10'],
  title: 'memory and start',
  async run(context) {
    const town = await context.town();
    return [await memory(context, town), await starting(context, town)];
  },
};
