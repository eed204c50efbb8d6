/** The only source of "now" (rule Z4): everything that depends on the present takes a clock. */
export type Clock = () => Date;

/**
 * The wall clock, or one frozen at `fixedNow` for tests, demos and checks against reference data.
 */
export function makeClock(fixedNow?: Date): Clock {
  return fixedNow === undefined ? () => new Date() : () => new Date(fixedNow);
}

/** The year that an instant is in, in a time zone. */
export const yearIn = (timeZone: string, at: Date): number =>
  Number(new Intl.DateTimeFormat('en', { timeZone, year: 'numeric' }).format(at));

const CHECK_EVERY_MS = 5_000;
/**
 * More than time synchronization corrects between two checks, and less than a usual manual change.
 */
const MIN_JUMP_MS = 2_000;

/**
 * Calls `onJump` with the seconds within five seconds after the machine's clock was changed,
 * because timers for a time of day are wrong from then on. Returns a function that stops watching.
 * Does not keep the process alive.
 */
export function watchClock(onJump: (seconds: number) => void): () => void {
  const offset = () => Date.now() - performance.now();
  let before = offset();
  const timer = setInterval(() => {
    const jump = offset() - before;
    before += jump;
    if (Math.abs(jump) > MIN_JUMP_MS) onJump(Math.round(jump / 1_000));
  }, CHECK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
