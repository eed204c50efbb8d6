/**
 * Pushes of the airRohr firmware: "Send data to custom API" or "Send data to InfluxDB", with the
 * token as the password set in the device.
 */
import type { DevicePush, DevicePushes } from '../../../ingest/formats.ts';
import { isTooDeep } from '../../../ingest/rows/json.ts';
import { instantOfUnixTime } from '../reading/times.ts';
import {
  type PushRecord,
  pushFromText,
  readInfluxLine,
  readingsOfPush,
  readPushedValues,
} from './airrohr.ts';
import { explainPush } from './explainPush.ts';

type Refused = { refused: string };

export const airrohrPushes: DevicePushes = {
  name: 'airrohr',
  /** "Send data to InfluxDB" names no other, whatever it sends. */
  types: ['application/x-www-form-urlencoded', 'text/plain'],
  read(body, { isJson, header, now }) {
    const parsed = isJson ? parseJson(body) : lineOf(body);
    return parsed === undefined ? { refused: NO_LINE } : recordOf(parsed, header, now);
  },
  fromText(text) {
    const record = pushFromText(text);
    return record && pushOf(record);
  },
};

const pushOf = (record: PushRecord): DevicePush => ({
  device: record.device,
  measuredAt: record.measuredAt,
  readingsOf: (sensors) => readingsOfPush(record, sensors),
  explain: (sensors) => explainPush(record, sensors),
});

/** The body that "Send data to InfluxDB" sends, in the form of the other; undefined: neither. */
function lineOf(body: Buffer): unknown {
  const text = body.toString('utf8');
  // JSON sent with curl, which names the same type
  return text.trimStart().startsWith('{') ? parseJson(body) : readInfluxLine(text);
}

const NO_LINE =
  'The body is neither JSON nor a line of InfluxDB such as "feinstaub,node=esp8266-1 SDS_P1=5.1". Nothing was stored.';

/** Refuses a body or headers that did not come from the firmware. */
function recordOf(
  body: unknown,
  header: (name: string) => string | undefined,
  now: Date,
): DevicePush | Refused {
  const values = readPushedValues(body);
  if (values === undefined)
    return { refused: 'The body has no list "sensordatavalues". Nothing was stored.' };
  const device = header('X-Sensor')?.trim() || deviceIn(body);
  if (device === undefined || !/^[!-~]{1,100}$/.test(device))
    return {
      refused: 'The header X-Sensor must say which device this is, such as esp8266-12345678.',
    };
  const pin = header('X-PIN')?.trim() || null;
  if (pin !== null && !/^\d{1,3}$/.test(pin))
    return { refused: 'The header X-PIN must be a number.' };
  const measuredAt = timeIn(body) ?? arrivalOf(now, pin);
  return typeof measuredAt === 'string' ? pushOf({ device, pin, measuredAt, values }) : measuredAt;
}

/**
 * NAMF says when it measured what it could not send at once; undefined: the body has no time.
 */
function timeIn(body: unknown): string | Refused | undefined {
  const { timestamp } = Object(body) as { timestamp?: unknown };
  if (timestamp === undefined || timestamp === null) return undefined;
  const given = JSON.stringify(String(timestamp).slice(0, 60));
  return (
    instantOfUnixTime(timestamp) ?? {
      refused: `The timestamp ${given} is not a number of seconds or milliseconds since 1970. Nothing was stored.`,
    }
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
 * A whole body as JSON; a byte order mark is tolerated. Throws SyntaxError for anything else and for
 * what is nested too deeply.
 */
function parseJson(body: Buffer): unknown {
  const text = body.toString('utf8').replace(/^\ufeff/, '');
  if (isTooDeep(text)) throw new SyntaxError('it is nested too deeply');
  return JSON.parse(text);
}
