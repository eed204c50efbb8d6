/**
 * The processes of this machine, without any program on Linux: from /proc. Elsewhere, such as on
 * macOS, from ps.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export type Process = {
  pid: number;
  parent: number;
  /** Its arguments, joined by spaces. */
  args: string;
  /** Its variables as it was started; empty where only another user may read them. */
  environment: string;
};

export function listProcesses(): Process[] {
  return existsSync('/proc/self/stat') ? fromProc() : fromPs();
}

function fromProc(): Process[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.flatMap((pid) => {
    const args = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
    // the name in brackets may contain anything; the state and the parent follow its end
    const [, parent] = /^.*\) \S (\d+) /s.exec(read(`/proc/${pid}/stat`)) ?? [];
    if (args === '' || parent === undefined) return []; // it has ended, or is the kernel's
    const environment = read(`/proc/${pid}/environ`);
    return [{ pid: Number(pid), parent: Number(parent), args, environment }];
  });
}

/** Empty where the process has ended, or is another user's. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/**
 * With the option `e`, ps prints the arguments of a process and then its environment. Either may
 * contain line breaks.
 */
function fromPs(): Process[] {
  const listed = (options: string) =>
    execFileSync('ps', [options, '-o', 'pid=,ppid=,args='], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    })
      .split(/\n(?= *\d+ +\d+ )/)
      .flatMap((line) => {
        const [, pid, parent, text = ''] = line.match(/^ *(\d+) +(\d+) +(.*)$/s) ?? [];
        return pid === undefined || text.startsWith('ps ')
          ? []
          : [{ pid: Number(pid), parent: Number(parent), text }];
      });
  const long = new Map(listed('axeww').map(({ pid, text }) => [pid, text]));
  return listed('axww').map(({ pid, parent, text }) => {
    return { pid, parent, args: text, environment: (long.get(pid) ?? '').slice(text.length) };
  });
}
