/**
 * Asks an identical question once while it is under way: when a thousand clients want the same page at the same moment, one of them
 * asks the database and all have its answer. It was asked before some of them came, by no more than the three seconds that it may take.
 */

/** Gives what `ask` resolves to, or how it fails, to everyone who asks by this key until then. What is given is shared: do not change it. */
export function coalesce<Answer>(): (key: string, ask: () => Promise<Answer>) => Promise<Answer> {
  const underWay = new Map<string, Promise<Answer>>();
  return (key, ask) => {
    const asked = underWay.get(key);
    if (asked !== undefined) return asked;
    const asking = ask().finally(() => underWay.delete(key));
    underWay.set(key, asking);
    return asking;
  };
}
