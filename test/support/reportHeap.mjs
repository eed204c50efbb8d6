/** Loaded into a program before its own code (NODE_OPTIONS=--import): on SIGUSR2 it writes into the file HEAP how much it holds after collecting garbage. */
import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
process.on('SIGUSR2', () => {
  for (let n = 0; n < 3; n++) collect();
  writeFileSync(process.env.HEAP, String(process.memoryUsage().heapUsed));
});
