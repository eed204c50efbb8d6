/** All dashboards with numbers, by file name. */
import { compare } from './compare.ts';
import { network } from './network.ts';
import type { Json } from './panel.ts';
import { region } from './region.ts';
import { service } from './service.ts';
import { station } from './station.ts';

export const DASHBOARDS: Readonly<Record<string, Json>> = {
  network,
  station,
  region,
  compare,
  service,
};
