#!/usr/bin/env node
/**
 * The command `airseries`. Before the program is loaded, it checks what that needs: Node and the dependencies. In a checkout it compiles
 * first if the sources have changed. Written so that Node 12 can read it, because it can't name a Node that is too old otherwise.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = join(ROOT, 'src');
const IS_CHECKOUT = existsSync(join(SOURCES, 'cli.ts')); // a package has none of the sources
const PROGRAM = join(ROOT, 'dist', 'cli.js');
/**
 * Says from which sources the program was compiled. The compiler's own record (.tsbuildinfo) can't: `tsc --noEmit` renews it and
 * leaves the program as it was.
 */
const STAMP = join(ROOT, 'dist', '.sources');
const COMPILER = join(ROOT, 'node_modules', '.bin', 'tsc');
const INSTALL = `The dependencies of airseries are not installed. Run this first, in ${ROOT}: npm ci`;

function refuse(message) {
  process.stderr.write(`error: ${message}\n`);
  process.exit(1);
}

/** Major and minor version as a number that can be compared. */
function versionNumber(text) {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(text);
  return Number(major) * 1000 + Number(minor);
}

function checkNode() {
  const needed = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).engines.node;
  if (versionNumber(process.versions.node) >= versionNumber(needed)) return;
  const found = `this is ${process.versions.node} (${process.execPath})`;
  refuse(
    `airseries needs Node ${needed}, and ${found}. Install a newer one: https://nodejs.org/en/download`,
  );
}

/** Loading the program takes this many at once. */
const MIN_OPEN_FILES = 512;

function checkOpenFiles() {
  const { userLimits } = process.report.getReport(); // absent on Windows
  if (!userLimits || !(userLimits.open_files.soft < MIN_OPEN_FILES)) return;
  refuse(
    `This process may have ${userLimits.open_files.soft} files open, and airseries needs ${MIN_OPEN_FILES}. ` +
      'Raise the limit: ulimit -n 4096 in a shell, LimitNOFILE=4096 in a systemd unit.',
  );
}

/** Changes with every file that is edited, added, renamed or deleted, even one whose time is earlier than before. */
function sourcesNow() {
  const hash = createHash('sha256');
  for (const path of readdirSync(SOURCES, { recursive: true }).sort()) {
    const { mtimeMs, size } = statSync(join(SOURCES, path));
    hash.update(`${path} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

function isStale(sources) {
  if (!existsSync(PROGRAM) || !existsSync(STAMP)) return true;
  return readFileSync(STAMP, 'utf8') !== sources;
}

function compileIfStale() {
  if (!IS_CHECKOUT) return;
  if (!existsSync(COMPILER)) {
    if (!existsSync(PROGRAM)) refuse(INSTALL);
    return; // installed without what develops it, and built before
  }
  const sources = sourcesNow(); // taken before compiling, so that an edit meanwhile is compiled the next time
  if (!isStale(sources)) return;
  const { status } = spawnSync('npm', ['run', '-s', 'build'], {
    cwd: ROOT,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) refuse(`The sources in ${SOURCES} do not compile.`);
  writeFileSync(STAMP, sources);
}

checkNode();
checkOpenFiles();
compileIfStale();
import('../dist/cli.js').catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  refuse(`${INSTALL}\n(${error.message})`);
});
