/** The PostgreSQL that comes along, for a process whose configuration names no database. */
import { statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Gauge } from 'prom-client';
import { z } from 'zod';
import { VARIABLE } from '../../base/variable.ts';
import { defineExtra } from '../extra.ts';
import { openEmbeddedServer } from './server.ts';

export const embedded = defineExtra({
  name: 'embedded',
  variables: {
    dataDirectory: z.string().default('.airseries').register(VARIABLE, {
      name: 'DATA_DIR',
      meaning: 'where the embedded server keeps its data, which runs where `DATABASE_URL` is unset',
    }),
  },
  metrics: ({ registry }) => {
    let folder: string | undefined;
    new Gauge({
      name: 'airseries_disk_free_bytes',
      help: 'Free space on the disk of the embedded server; NaN for other databases',
      registers: [registry],
      async collect() {
        const disk = folder === undefined ? undefined : await statfs(folder).catch(() => undefined);
        this.set(disk === undefined ? Number.NaN : disk.bavail * disk.bsize);
      },
    });
    return {
      observeDisk(of: string) {
        folder = of;
      },
    };
  },
  database: {
    folder: ({ dataDirectory }) => resolve(dataDirectory),
    async open({ settings, log, mustExist, own }) {
      const dataDirectory = resolve(settings.dataDirectory);
      const database = await openEmbeddedServer({ dataDirectory, log, mustExist });
      own?.observeDisk(database.dataDirectory);
      return database;
    },
  },
});
