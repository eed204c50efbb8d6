/** When a pool sends a statement again: at once, where its failure says that this may well succeed. */
import { failureOf } from './errors.ts';

const RETRY_AFTER_MS = 100;
const MAX_ATTEMPTS = 4;

/** Rejects as the last attempt did. */
export async function withRetry<T>(attempt: () => Promise<T>): Promise<T> {
  for (let n = 1; ; n++) {
    try {
      return await attempt();
    } catch (error) {
      if (!failureOf(error).again || n === MAX_ATTEMPTS) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
  }
}
