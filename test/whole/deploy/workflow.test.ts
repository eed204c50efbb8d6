/**
 * The workflows test on the versions that the project supports, and may do no more than they need.
 */
import { describe, expect, it } from 'vitest';
import { isNewer } from '../../../src/schema/engine.ts';
import { compose, services, textOf, yamlOf } from './composeFile.ts';

type Job = {
  permissions?: Record<string, string>;
  strategy?: { matrix: { node: number[]; timescaledb: string[] } };
  steps: { uses?: string; with?: Record<string, unknown>; run?: string }[];
};
type Workflow = { on: unknown; permissions: unknown; jobs: Record<string, Job> };

const text = textOf('.github/workflows/ci.yml');
const workflow = yamlOf('.github/workflows/ci.yml') as Workflow;
const release = yamlOf('.github/workflows/release.yml') as Workflow;
const nightly = yamlOf('.github/workflows/nightly.yml') as Workflow;
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap((job) => job.steps);
const manifest = JSON.parse(textOf('package.json'));

describe('the workflow', () => {
  it('the workflow tests on each line of Node with long support, from the oldest to the image’s', () => {
    const oldest = Number(/\d+/.exec(manifest.engines.node)?.[0]);
    const shipped = Number(/^FROM node:(\d+)/m.exec(textOf('Dockerfile'))?.[1]);
    const lines = Array.from({ length: (shipped - oldest) / 2 + 1 }, (_, n) => oldest + 2 * n);
    expect(workflow.jobs.test?.strategy?.matrix.node).toEqual(lines); // lines with even numbers
  });

  it('the workflow tests on the oldest TimescaleDB, on the one in docker-compose.yml and a newer one', () => {
    const [, image = '', tag] = /^(.*):(.*)$/.exec(compose.services.database?.image ?? '') ?? [];
    const tags = workflow.jobs.test?.strategy?.matrix.timescaledb ?? [];
    expect(tags[0]).toMatch(/^2\.28\./);
    expect(tags[1]).toBe(tag);
    expect(isNewer(tags[2]?.split('-')[0] ?? '', tag?.split('-')[0] ?? '')).toBe(true);
    const named = services
      .map(([, service]) => service.image.split(':')[0] ?? '')
      .filter((name) => name !== 'airseries');
    expect([...new Set(named.filter((name) => text.includes(name)))]).toEqual([image]);
    expect(text).not.toMatch(/^\s*(image|container):/m);
  });

  it.each([workflow, nightly, release])(
    'a workflow may only read, and uses actions of a fixed version, which keep no credentials',
    (of) => {
      expect(of.permissions).toEqual({ contents: 'read' });
      const used = stepsOf(of).flatMap(({ uses }) => uses ?? []);
      expect(used.filter((action) => !/^actions\/[\w-]+@v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
      const checkouts = stepsOf(of).filter(({ uses }) => uses?.startsWith('actions/checkout@'));
      expect(checkouts.map((step) => step.with)).toEqual(
        checkouts.map(() => ({ 'persist-credentials': false })),
      );
    },
  );
});

describe('the release', () => {
  const { package: job } = release.jobs;

  it('only the release of a tag may write, and it is signed without any secret', () => {
    expect(release.on).toEqual({ push: { tags: ['v*'] } });
    expect(Object.keys(release.jobs)).toEqual(['package']);
    expect(job?.permissions).toEqual({
      contents: 'write',
      'id-token': 'write',
      attestations: 'write',
    });
    expect(
      Object.values(workflow.jobs).filter(({ permissions }) => permissions !== undefined),
    ).toEqual([]);
    expect(textOf('.github/workflows/release.yml')).not.toMatch(/secrets\.|_authToken/);
  });
});
