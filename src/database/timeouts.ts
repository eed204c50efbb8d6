/** A promise with a limit: rejects with what `late` makes once `ms` have passed. What is late is not stopped, only no longer awaited. */
export async function within<T>(ms: number, promised: PromiseLike<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([promised, limit]);
  } finally {
    clearTimeout(timer);
  }
}
