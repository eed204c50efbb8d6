/** Calls that share one run: many ask at the same time for what is the same for all of them. */

/** Returns a function whose concurrent calls share one promise. */
export function singleFlight<T>(work: () => PromiseLike<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  return () => {
    current ??= Promise.resolve(work()).finally(() => {
      current = undefined;
    });
    return current;
  };
}
