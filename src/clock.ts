/** The one source of "now" (rule Z4). Everything that depends on the present takes a clock; nothing else asks the time. */
export type Clock = () => Date;

/** The wall clock, or a clock that stands still at `fixedNow` for tests, demos and checks against reference data. */
export function makeClock(fixedNow?: Date): Clock {
  return fixedNow === undefined ? () => new Date() : () => new Date(fixedNow);
}
