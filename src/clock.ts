/** The one source of "now" (rule Z4). Everything that depends on the present takes a clock; nothing else asks the time. */
export type Clock = () => Date;

/** The wall clock, or a clock that stands still at `fixedNow` for tests, demos and checks against reference data. */
export function makeClock(fixedNow?: Date): Clock {
  return fixedNow === undefined ? () => new Date() : () => new Date(fixedNow);
}

const LOOK_EVERY_MS = 5_000;
/** More than a clock is corrected by while it is kept in step, less than anybody sets it by. */
const JUMP_MS = 2_000;

/**
 * Tells within five seconds that the machine's clock was set, and by how many seconds: whoever waits for a time of day waits for the
 * wrong one from then on. What it returns ends the watch.
 */
export function watchClock(onJump: (seconds: number) => void): () => void {
  const distance = () => Date.now() - performance.now();
  let before = distance();
  const timer = setInterval(() => {
    const jump = distance() - before;
    before += jump;
    if (Math.abs(jump) > JUMP_MS) onJump(Math.round(jump / 1_000));
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
