/** Tells how far the server that a process reads from is behind its primary. */
import type { ApiDb } from './pools.ts';

export type Replication = {
  /** `replaying`: it has yet to show a part of what it received; `disconnected`: it has all of that, and lost its primary. */
  state: 'primary' | 'streaming' | 'replaying' | 'disconnected';
  /** For how long it may have lacked something that its primary had. */
  lagSeconds: number;
};

export async function queryReplication(db: ApiDb, now: Date): Promise<Replication> {
  const server = await db.selectFrom('api.server').selectAll().executeTakeFirstOrThrow();
  if (!server.is_replica) return { state: 'primary', lagSeconds: 0 };
  const isReplaying = Number(server.replayed) < Number(server.received);
  // one that has everything is not behind, however long ago the last transaction was
  if (server.is_receiving && !isReplaying) return { state: 'streaming', lagSeconds: 0 };
  const replayedAt = server.replayed_at === null ? now.getTime() : Date.parse(server.replayed_at);
  const lagSeconds = Math.max(0, now.getTime() - replayedAt) / 1_000; // clocks differ
  return { state: isReplaying ? 'replaying' : 'disconnected', lagSeconds };
}
