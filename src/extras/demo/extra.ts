/** The demo network: an invented country, for a first look without stations of one's own. */
import { z } from 'zod';
import { VARIABLE } from '../../base/variable.ts';
import { defineExtra } from '../extra.ts';
import { addReplaceOption, demoCommand, refuseDemo } from './command.ts';
import type { Demo } from './demo.ts';

export const demo = defineExtra({
  name: 'demo',
  variables: {
    demo: z.enum(['on', 'off']).optional().register(VARIABLE, {
      name: 'DEMO',
      meaning: '`on` or `off`; unset: a new embedded server gets the demo network',
    }),
  },
  commands({ program, run, settings, command, before }) {
    program.addCommand(demoCommand(run, () => settings().demo));
    const importing = command('import', 'network');
    const beforeMigrations = addReplaceOption(importing);
    before(importing, { beforeMigrations, beforeWork: refuseDemo });
    before(command('network', 'remove'), { beforeWork: refuseDemo });
  },
  open({ settings, clock, log }) {
    let running: Demo | undefined;
    return {
      async jobs({ target, embedded, timeZone, terminal }) {
        const { openDemo } = await import('./demo.ts');
        const setting = settings.demo ?? (embedded ? 'on' : undefined);
        running = await openDemo(target, setting, { timeZone, clock, log, terminal });
        return running.jobs;
      },
      begin: () => running?.begin(),
      offers: () => (running?.ground === undefined ? {} : { ground: running.ground }),
      close: async () => await running?.stop(),
    };
  },
});
