/**
 * A database server as a process of its own in a temporary folder; the machine's own service is
 * never touched.
 */
import { freePort } from '../../../../support/freePort.ts';
import { makeHome, runProgram } from '../../../../support/program.ts';
import { ask } from './peer.ts';

export type Server = { port: number; pid: number; folder: string; stop(): Promise<void> };

/**
 * Starts the command that is made of the folder and of as many free ports as wanted, and waits
 * until `path` on the first port answers with a success. Throws with what it wrote if it ends
 * before.
 */
export async function startServer(
  path: string,
  command: (folder: string, ports: string[]) => string[],
): Promise<Server> {
  const { folder, remove } = makeHome();
  const ports = [await freePort(), await freePort()];
  const running = runProgram(command(folder, ports), { environment: { HOME: folder }, folder });
  let ended = false;
  void running.finished.then(() => {
    ended = true;
  });
  const port = Number(ports[0]);
  const isUp = () =>
    ask(port, path).then(
      () => true,
      () => false,
    );
  while (!(await isUp())) {
    if (ended) throw new Error(`the peer ended: ${running.log().slice(-1_000)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    port,
    pid: running.pid,
    folder,
    async stop() {
      running.kill('SIGTERM');
      await running.finished;
      remove();
    },
  };
}
