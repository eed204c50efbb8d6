/** The command that starts the service. It takes no arguments: its help lists the variables of the environment that configure it. */
import { Command } from 'commander';
import { CONFIGURATION } from '../config.ts';
import { facts } from './table.ts';

/** `start` is called where the arguments are valid. */
export function startCommand(start: () => void): Command {
  return new Command('start')
    .description(
      'start the service: the public API, the ingestion and admin ports, and the jobs. Without DATABASE_URL it starts ' +
        'an embedded PostgreSQL, whose data are in DATA_DIR. Ctrl-C stops it',
    )
    .addHelpText('after', `\nEnvironment variables (README.md):\n${variables()}`)
    .action(start);
}

/** With what they mean and their defaults. */
function variables(): string {
  return facts(
    CONFIGURATION.map(({ name, defaultsTo, meaning }) => {
      const byDefault = defaultsTo === '' ? '' : ` (default: ${defaultsTo})`;
      return [`  ${name}`, meaning.replaceAll('`', '') + byDefault];
    }),
  );
}
