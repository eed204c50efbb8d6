/**
 * The load generator as a process of its own, kept for the whole run: a server under test must not
 * share its thread.
 */
import { fork } from 'node:child_process';
import type { Job, Outcome } from './process.ts';

export type Generator = {
  /** Rejects if any response had another status, or a connection failed. */
  run(job: Omit<Job, 'headers' | 'status'> & Partial<Job>): Promise<Outcome>;
  /**
   * The largest share of time in which the generator was not idle: at 1 it would have been the
   * bottleneck.
   */
  busiest(): number;
  close(): void;
};

type Message = { outcome: Outcome } | { error: string };

export function startGenerator(): Generator {
  const child = fork(new URL('process.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
  let busiest = 0;
  return {
    async run(job) {
      const answered = new Promise<Message>((resolve, reject) => {
        child.once('message', (message: Message) => resolve(message));
        child.once('exit', () => reject(new Error('the load generator ended')));
      });
      child.setMaxListeners(0);
      child.send({ headers: {}, status: 200, ...job });
      const message = await answered;
      if ('error' in message) throw new Error(`the load generator failed: ${message.error}`);
      if (message.outcome.wrong > 0)
        throw new Error(
          `${message.outcome.wrong} of ${message.outcome.requests} responses were wrong`,
        );
      busiest = Math.max(busiest, message.outcome.busy);
      return message.outcome;
    },
    busiest: () => busiest,
    close: () => child.disconnect(),
  };
}
