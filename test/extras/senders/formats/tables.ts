/** All tables. A new format is a file beside this one, and a line here. */
import { airgradient } from './airgradient.ts';
import { airqualityAm } from './airqualityAm.ts';
import { airseries } from './airseries.ts';
import { chirpstack } from './chirpstack.ts';
import { ecowitt } from './ecowitt.ts';
import { foreign } from './foreign.ts';
import { homeAssistant } from './homeAssistant.ts';
import { openaq } from './openaq.ts';
import { purpleair } from './purpleair.ts';
import { sensorCommunity } from './sensorCommunity.ts';
import { smartCitizen } from './smartCitizen.ts';
import type { FormatTable } from './table.ts';
import { thingspeak } from './thingspeak.ts';
import { ttn } from './ttn.ts';
import { weewx } from './weewx.ts';

export const TABLES: readonly FormatTable[] = [
  airgradient,
  airqualityAm,
  airseries,
  chirpstack,
  ecowitt,
  foreign,
  homeAssistant,
  openaq,
  purpleair,
  sensorCommunity,
  smartCitizen,
  thingspeak,
  ttn,
  weewx,
];
