/**
 * Limits on waiting. A cut network or a frozen server reports nothing, so work of known length gets
 * a deadline.
 */

/**
 * Rejects with the error that `late` returns once `ms` have passed. What has arrived by then is read
 * first: where the process itself was held, by a computation or a busy machine, timers run before
 * the sockets are looked at. Late work is not stopped, only no longer awaited.
 */
export async function withTimeout<T>(
  ms: number,
  work: PromiseLike<T>,
  late: () => Error,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => setImmediate(() => reject(late())), ms);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
