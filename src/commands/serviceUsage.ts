/** The command line of the service itself, which takes no arguments: what it prints for --help and --version, and how it refuses others. */
import { CONFIGURATION } from '../config.ts';

const HELP = `Usage: npm start

Starts the service: the public API, the ingestion and admin ports, and the jobs. Without DATABASE_URL it
starts an embedded PostgreSQL, whose data are in DATA_DIR. Ctrl-C stops it.
The operator's commands: npm run -s cli -- --help

It takes no arguments. Environment variables (README.md):
`;

/** What to print, and the exit code; undefined: start the service. `version` is that of this program. */
export function serviceUsage(args: readonly string[], version: string): { text: string; code: 0 | 2 } | undefined {
  const [first] = args;
  if (first === undefined) return undefined;
  if (first === '--version' || first === '-V') return { text: `${version}\n`, code: 0 };
  const width = Math.max(...CONFIGURATION.map(({ name }) => name.length));
  const lines = CONFIGURATION.map(({ name, defaultsTo, meaning }) => {
    const byDefault = defaultsTo === '' ? '' : ` (default: ${defaultsTo})`;
    return `  ${name.padEnd(width)}  ${meaning.replaceAll('`', '')}${byDefault}\n`;
  });
  const help = HELP + lines.join('');
  if (first === '--help' || first === '-h') return { text: help, code: 0 };
  return { text: `unexpected argument: ${args.join(' ')}\n\n${help}`, code: 2 };
}
