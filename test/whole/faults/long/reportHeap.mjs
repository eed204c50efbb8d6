/** Loaded into a program before its own code (NODE_OPTIONS=--import): on SIGUSR2 it collects garbage and writes the heap size to the file HEAP. */
import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
process.on('SIGUSR2', () => {
  for (let n = 0; n < 3; n++) collect();
  writeFileSync(process.env.HEAP, String(process.memoryUsage().heapUsed));
});
