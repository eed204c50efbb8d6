/**
 * POST /v1/push/airrohr: the airRohr firmware's "Send data to custom API" or "Send data to
 * InfluxDB", with the token as the password set in the device.
 */
import type { Request, RequestHandler } from 'express';
import {
  type PushRecord,
  readInfluxLine,
  readingsOfPush,
  readPushedValues,
} from '../../extras/senders/formats/airrohr.ts';
import { instantOfUnixTime } from '../../extras/senders/reading/times.ts';
import { Problem, quoted } from '../../http/send.ts';
import { isTooDeep } from '../rows/json.ts';
import { findPushSensors } from '../store/deviceSensors.ts';
import { type IngestDeps, ingestRoute, notJson, type ReadReadings } from './ingestRoute.ts';

/** In bytes, unpacked. */
const LARGEST_BODY = 64 * 1024;

/** "Send data to InfluxDB" names no other, whatever it sends. */
const INFLUX_TYPES = ['application/x-www-form-urlencoded', 'text/plain'];

/** The handlers of the route, to come after authentication. */
export function makeAirrohrRoute(deps: IngestDeps): RequestHandler[] {
  const limits = { limit: LARGEST_BODY, types: ['application/json', ...INFLUX_TYPES] };
  const read: ReadReadings = async (body, req, { scope, now }) => {
    const record = recordOf(req, req.is(INFLUX_TYPES) ? lineOf(body) : parseJson(body), now);
    const at = new Date(record.measuredAt);
    const sensors = await findPushSensors(deps.writes, record, scope, at);
    return { readings: readingsOfPush(record, sensors) };
  };
  return ingestRoute(deps, limits, read, { neverRefuses: true });
}

/**
 * The body that "Send data to InfluxDB" sends, in the form of the other. Throws Problem for
 * anything else.
 */
function lineOf(body: Buffer): unknown {
  const text = body.toString('utf8');
  // JSON sent with curl, which names the same type
  if (text.trimStart().startsWith('{')) return parseJson(body);
  const line = readInfluxLine(text);
  if (line !== undefined) return line;
  const example = 'feinstaub,node=esp8266-1 SDS_P1=5.1';
  throw new Problem(
    400,
    `The body is neither JSON nor a line of InfluxDB such as "${example}". Nothing was stored.`,
  );
}

/** Throws Problem for a body or headers that are none of the firmware. */
function recordOf(req: Request, body: unknown, now: Date): PushRecord {
  const values = readPushedValues(body);
  if (values === undefined)
    throw new Problem(400, 'The body has no list "sensordatavalues". Nothing was stored.');
  const device = req.get('X-Sensor')?.trim() || deviceIn(body);
  if (device === undefined || !/^[!-~]{1,100}$/.test(device)) {
    throw new Problem(
      400,
      'The header X-Sensor must say which device this is, such as esp8266-12345678.',
    );
  }
  const pin = req.get('X-PIN')?.trim() || null;
  if (pin !== null && !/^\d{1,3}$/.test(pin))
    throw new Problem(400, 'The header X-PIN must be a number.');
  return { device, pin, measuredAt: timeIn(body) ?? arrivalOf(now, pin), values };
}

/**
 * NAMF says when it measured what it could not send at once; undefined: the body has no time.
 * Throws Problem for a time that is none.
 */
function timeIn(body: unknown): string | undefined {
  const { timestamp } = Object(body) as { timestamp?: unknown };
  if (timestamp === undefined || timestamp === null) return undefined;
  const measuredAt = instantOfUnixTime(timestamp);
  if (measuredAt !== undefined) return measuredAt;
  throw new Problem(
    400,
    `The timestamp ${quoted(String(timestamp).slice(0, 60))} is not a number of seconds or milliseconds since 1970. Nothing was stored.`,
  );
}

/**
 * In whole seconds, as no device is more exact, and the values of a body were measured at one time.
 * Bodies of several instruments may arrive within one second: the number of the pin, in
 * milliseconds, keeps one from replacing the other.
 */
const arrivalOf = (now: Date, pin: string | null): string =>
  new Date(Math.floor(now.getTime() / 1000) * 1000 + Number(pin))
    .toISOString()
    .replace('.000Z', 'Z');

/** The firmware names itself in the body too, without the kind of its chip. */
function deviceIn(body: unknown): string | undefined {
  const { esp8266id, esp32id, device } = Object(body) as Record<string, unknown>;
  if (typeof device === 'string') return device;
  const id = (given: unknown) =>
    (typeof given === 'string' && given !== '') || Number.isSafeInteger(given);
  if (id(esp8266id)) return `esp8266-${esp8266id}`;
  return id(esp32id) ? `esp32-${esp32id}` : undefined;
}

/**
 * A whole body as JSON; a byte order mark is tolerated. Throws Problem 400 for anything else and
 * for what is nested too deeply.
 */
function parseJson(body: Buffer): unknown {
  const text = body.toString('utf8').replace(/^\ufeff/, '');
  if (isTooDeep(text)) throw notJson('it is nested too deeply');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson((error as Error).message);
  }
}
