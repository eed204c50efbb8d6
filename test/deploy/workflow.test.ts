/** The workflows and Dependabot's settings, checked without GitHub: they refer to things that exist, and agree with the rest of the project. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isNewer } from '../../src/schema/engine.ts';
import { compose, ROOT, services, textOf, variablesOf, yamlOf } from './composeFile.ts';

type Job = {
  permissions?: Record<string, string>;
  strategy?: { matrix: { node: number[]; timescaledb: string[] } };
  steps: { uses?: string; run?: string; with?: Record<string, unknown>; env?: Record<string, string> }[];
};
type Workflow = { on: unknown; permissions: unknown; env: Record<string, string>; jobs: Record<string, Job> };

const text = textOf('.github/workflows/ci.yml');
const workflow = yamlOf('.github/workflows/ci.yml') as Workflow;
const release = yamlOf('.github/workflows/release.yml') as Workflow;
const nightly = yamlOf('.github/workflows/nightly.yml') as Workflow;
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap((job) => job.steps);
const commandsOf = (of: Workflow) => stepsOf(of).flatMap(({ run }) => (run === undefined ? [] : [run.trim()]));
const steps = [workflow, nightly].flatMap(stepsOf);
const commands = [workflow, nightly].flatMap(commandsOf);
const manifest = JSON.parse(textOf('package.json'));

describe('the workflow', () => {
  it('tests on the oldest Node that is supported and on that of the image', () => {
    const oldest = Number(/\d+/.exec(manifest.engines.node)?.[0]);
    const shipped = Number(/^FROM node:(\d+)/m.exec(textOf('Dockerfile'))?.[1]);
    expect(workflow.jobs.test?.strategy?.matrix.node).toEqual([oldest, shipped]);
  });

  it('runs existing scripts, files and services', () => {
    const scripts = [...commands, ...commandsOf(release)].flatMap((command) =>
      [...command.matchAll(/npm (?:run )?(?:-s )?(\w+)/g)].map(([, name = '']) => name),
    );
    const own = ['audit', 'ci', 'install', 'pack', 'pkg', 'publish']; // npm's
    expect(scripts.filter((name) => !own.includes(name) && !(name in manifest.scripts))).toEqual([]);
    expect(scripts).toEqual(expect.arrayContaining(['check', 'test', 'sim', 'mutants']));
    const files = commands.flatMap((command) => [...command.matchAll(/ -f (\S+\.yml)/g)].map(([, file]) => `${file}`));
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    const inside = /compose (?:exec|run) (?:-\S+ |promtool )*([a-z]+) (?:node |test rules |check config )(\S+)/;
    const ran = commands.flatMap((command) => inside.exec(command) ?? []).filter((_, index) => index % 3 !== 0);
    expect(ran).toEqual([
      ...['prometheus', '/etc/prometheus/prometheus.yml', 'prometheus', '/etc/prometheus/tests/airseries.yml'],
      ...['worker', 'dist/cli.js'],
    ]);
    for (const file of ran.filter((word) => word.startsWith('/etc/prometheus/'))) {
      expect(existsSync(join(ROOT, file.replace('/etc/', 'grafana/')))).toBe(true);
    }
  });

  it('sends requests to the published ports', () => {
    const ports = commands.flatMap((command) => [...command.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => port));
    const published = services.flatMap(([, { ports: of = [] }]) => of.map((port) => port.split(':')[1]));
    const own = commands.flatMap((command) =>
      [...command.matchAll(/--publish 127\.0\.0\.1:(\d+)/g)].map(([, port]) => port),
    );
    expect([...new Set(ports)].filter((port) => ![...published, ...own].includes(port))).toEqual([]);
    expect(new Set(ports).size).toBe(5);
  });

  it('tests on the oldest TimescaleDB, that of docker-compose.yml and a newer one, and names no other image', () => {
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

  it('gives the tests that server as its superuser', () => {
    const url = new URL(steps.find(({ env }) => env?.TEST_TIMESCALE_URL)?.env?.TEST_TIMESCALE_URL ?? '');
    const server = commands.find((command) => command.includes('matrix.timescaledb')) ?? '';
    expect(server).toContain(`--publish ${url.host}:5432`);
    expect(server).toContain(`--env POSTGRES_USER=${url.username} --env POSTGRES_PASSWORD `);
    expect(url.password).toBe(workflow.env.POSTGRES_PASSWORD);
  });

  it('sets every secret that docker-compose.yml requires', () => {
    const required = variablesOf(textOf('docker-compose.yml')).filter((variable) => variable.required);
    const set = Object.keys(workflow.env).filter((name) => name !== 'COMPOSE_PROFILES');
    expect([...new Set(required.map(({ name }) => name))].sort()).toEqual(set.sort());
    expect(workflow.env.COMPOSE_PROFILES).toBe('demo');
  });

  it.each([workflow, nightly, release])(
    'may only read, and uses actions with a fixed version, which keep no credentials',
    (of) => {
      expect(of.permissions).toEqual({ contents: 'read' });
      const used = stepsOf(of).flatMap(({ uses }) => uses ?? []);
      expect(used.filter((action) => !/^actions\/[\w-]+@v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
      const checkouts = stepsOf(of).filter(({ uses }) => uses?.startsWith('actions/checkout@'));
      expect(checkouts.map((step) => step.with)).toEqual(checkouts.map(() => ({ 'persist-credentials': false })));
    },
  );

  it('audits what is shipped, in the one as in the other', () => {
    const audits = [...commands, ...commandsOf(release)].filter((command) => command.startsWith('npm audit'));
    expect(audits).toEqual(Array(2).fill('npm audit --omit=dev --audit-level=moderate'));
  });
});

describe('the release', () => {
  const { package: job } = release.jobs;

  it('is of a tag, and alone may write: a release, and a signature by the identity of the run, without any secret', () => {
    expect(release.on).toEqual({ push: { tags: ['v*'] } });
    expect(Object.keys(release.jobs)).toEqual(['package']);
    expect(job?.permissions).toEqual({ contents: 'write', 'id-token': 'write', attestations: 'write' });
    expect(Object.values(workflow.jobs).filter(({ permissions }) => permissions !== undefined)).toEqual([]);
    expect(textOf('.github/workflows/release.yml')).not.toMatch(/secrets\.|_authToken/);
  });

  it('tests before it packs, attests what it packed with its SBOM, and publishes that and nothing else', () => {
    const order = stepsOf(release).map(
      ({ uses, run }) => uses?.split('@')[0] ?? run?.match(/(npm|gh) \w+|test |node \S+/)?.[0].trim(),
    );
    expect(order).toEqual([
      ...[
        'actions/checkout',
        'actions/setup-node',
        'test',
        'npm ci',
        'npm audit',
        'npm test',
        'npm pkg',
        'node .github/sbom.mjs',
      ],
      ...['actions/attest', 'actions/attest', 'gh release', 'npm publish'],
    ]);
    const [publish] = commandsOf(release).slice(-2);
    expect(publish).toMatch(
      /== \*-\* \]\]; then kind=--prerelease; else kind=--latest; fi;\s+gh release create "\$GITHUB_REF_NAME" \$kind /,
    );
    const packed = `${manifest.name}-*.tgz`;
    const attested = stepsOf(release).filter(({ uses }) => uses?.startsWith('actions/attest@'));
    expect(attested.map((step) => step.with)).toEqual([
      { 'subject-path': packed },
      { 'subject-path': packed, 'sbom-path': 'airseries.cdx.json' },
    ]);
    for (const command of commandsOf(release).slice(-2)) expect(command).toContain(` ./${packed} `);
  });
});

it('Dependabot covers everything that has a version', () => {
  const { updates } = yamlOf('.github/dependabot.yml') as {
    updates: { 'package-ecosystem': string; directory: string }[];
  };
  expect(updates.map((update) => update['package-ecosystem'])).toEqual([
    'npm',
    'docker',
    'docker-compose',
    'github-actions',
  ]);
  expect(updates.map(({ directory }) => directory)).toEqual(['/', '/', '/', '/']);
});
