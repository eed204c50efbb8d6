/** Runs the service as a process: reads the environment, starts the service, and stops it at a signal. */
import { makeClock } from './base/clock.ts';
import { makeLog } from './base/log.ts';
import { checkPorts, environmentHints, readConfig } from './config.ts';
import { whyUncaught } from './database/errors.ts';
import { start } from './service.ts';

/** Resolves to the first signal to stop. A second one ends the process at once. */
const signalled = new Promise<string>((resolve) => {
  let isStopping = false;
  const onSignal = (signal: string) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    resolve(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal);
});

/** Resolves to the exit code once the service has stopped. Rejects with an Error if its configuration cannot be used. */
export async function runService(): Promise<number> {
  const config = readConfig(process.env);
  checkPorts(config);
  const log = makeLog(config.logLevel);
  for (const hint of environmentHints(process.env)) log.warn(hint);
  process
    .removeAllListeners('warning')
    .on('warning', (warning) => log.warn({ err: warning }, 'warning from Node'));
  process.on('uncaughtException', (error) => {
    log.error({ err: error }, whyUncaught(error)); // an orderly stop would wait forever for outcomes that never come
    process.exit(1);
  });
  const service = start(config, { clock: makeClock(config.fixedNow), log });
  try {
    const failed = service.ready.then(() => new Promise<never>(() => undefined));
    const signal = await Promise.race([failed, signalled]);
    log.info({ signal, drain_seconds: config.drainSeconds }, 'stopping');
    await service.stop(config.drainSeconds);
    return 0;
  } catch (error) {
    log.error({ err: error }, (error as Error).message);
    await service.stop(0);
    return 1;
  }
}
