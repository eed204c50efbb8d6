/** The bundled PostgreSQL, for a process whose configuration names no database. */
import { statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
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
  metrics: ({ gauge, beforeScrape }) => {
    const free = gauge('airseries_disk_free_bytes', {
      help: 'Free space on the disk of the embedded server; NaN for other databases',
    });
    free.set(Number.NaN);
    return {
      /** From now on each scrape reads how much space is free on the disk of this folder. */
      observeDisk(folder: string) {
        beforeScrape.push(async () => {
          const disk = await statfs(folder).catch(() => undefined);
          free.set(disk === undefined ? Number.NaN : disk.bavail * disk.bsize);
        });
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
