/** Feeds: providers that are polled for their readings. */
import { z } from 'zod';
import { VARIABLE } from '../../base/variable.ts';
import { defineExtra } from '../extra.ts';
import { makePullCounter } from './pullCounter.ts';
import { pullKey } from './pullKey.ts';
import { pullStatus } from './pullStatus.ts';

const HOST = /^[A-Za-z0-9._-]+(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/;

export const feeds = defineExtra({
  name: 'feeds',
  variables: {
    pullHosts: z
      .string()
      .transform((text) => text.split(/[\s,]+/).filter((host) => host !== ''))
      .refine(
        (hosts) => hosts.every((host) => HOST.test(host) && URL.canParse(`http://${host}`)),
        'must be names of hosts such as data.sensor.community, without https:// or a path',
      )
      .default([])
      .register(VARIABLE, {
        name: 'PULL_HOSTS',
        meaning:
          'hosts that may be polled for readings, such as `data.sensor.community`, with their port if it is unusual',
      }),
  },
  providerKeys: (formats) => ({ pull: pullKey(formats) }),
  providerFacts: pullStatus,
  metrics: makePullCounter,
  open: ({ settings: { pullHosts: hosts }, metrics, own: pulls, clock, log, formats }) => ({
    async jobs({ target, timeZone }) {
      const { pullJob } = await import('./pullDue.ts');
      return [pullJob(target, clock, { hosts, log, metrics, pulls, timeZone, formats })];
    },
  }),
});
