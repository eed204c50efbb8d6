/** All tables. A new sender is a file beside this one, and a line here. */
import { airgradient } from './airgradient.ts';
import { airnow } from './airnow.ts';
import { airqualityAm } from './airqualityAm.ts';
import { airseries } from './airseries.ts';
import { ambient } from './ambient.ts';
import { chirpstack } from './chirpstack.ts';
import { ecowitt } from './ecowitt.ts';
import { eea } from './eea.ts';
import { foreign } from './foreign.ts';
import { ghcnh } from './ghcnh.ts';
import { homeAssistant } from './homeAssistant.ts';
import { meteostat } from './meteostat.ts';
import { openaq } from './openaq.ts';
import { purpleair } from './purpleair.ts';
import { sensorCommunity } from './sensorCommunity.ts';
import { smartCitizen } from './smartCitizen.ts';
import type { FormatTable } from './table.ts';
import { telegraf } from './telegraf.ts';
import { thingspeak } from './thingspeak.ts';
import { ttn } from './ttn.ts';
import { weewx } from './weewx.ts';
import { wunderground } from './wunderground.ts';

export const TABLES: readonly FormatTable[] = [
  airgradient,
  airqualityAm,
  airseries,
  chirpstack,
  ecowitt,
  airnow,
  ambient,
  eea,
  ghcnh,
  meteostat,
  telegraf,
  wunderground,
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
