/** 100,000 reads through one process over two replicas that lag in turns: nobody sees an older state after a newer one, and nothing stale is kept. */
import { expect, it } from 'vitest';
import { onEveryEngine } from '../../support/database.ts';
import { canReplicate, openCluster } from '../../support/replicas.ts';
import { prepare, readOverReplicas } from '../replicaReads.ts';

const ROUNDS = 200;

onEveryEngine('100,000 reads over two replicas', (engine) => {
  it('never go back in time', { timeout: 3_600_000 }, async ({ annotate, skip }) => {
    if (!(await canReplicate(engine))) skip();
    const cluster = await openCluster(engine, prepare);
    const outcome = await readOverReplicas(cluster, ROUNDS, 496).finally(() => cluster.close());
    await annotate(`${engine}: ${JSON.stringify(outcome)}`);
    expect(outcome).toMatchObject({ reads: 100_000, moves: ROUNDS, unavailable: 0, stepsBack: [], stale: [] });
  });
});
