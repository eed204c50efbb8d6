/**
 * POST /v1/push/NAME for devices that send all that they measured in one body, which names no
 * sensor: the network says which of its sensors measured what.
 */
import type { RequestHandler } from 'express';
import { Problem } from '../../http/send.ts';
import type { DevicePushes } from '../formats.ts';
import { findPushSensors } from '../store/deviceSensors.ts';
import { type IngestDeps, ingestRoute, notJson, type ReadReadings } from './ingestRoute.ts';

/** In bytes, unpacked. */
const LARGEST_BODY = 64 * 1024;

/** The handlers of the route, to come after authentication. */
export function makeDeviceRoute(deps: IngestDeps, pushes: DevicePushes): RequestHandler[] {
  const limits = { limit: LARGEST_BODY, types: ['application/json', ...pushes.types] };
  const read: ReadReadings = async (body, req, { scope, now }) => {
    const isJson = !req.is([...pushes.types]);
    const push = readPush(pushes, body, { isJson, header: (name) => req.get(name), now });
    if ('refused' in push) throw new Problem(400, push.refused);
    const sensors = await findPushSensors(deps.writes, push, scope, new Date(push.measuredAt));
    return { readings: push.readingsOf(sensors) };
  };
  return ingestRoute(deps, limits, read, { neverRefuses: true });
}

/** As `read` of the pushes. Throws Problem for a body that is not JSON. */
function readPush(pushes: DevicePushes, ...given: Parameters<DevicePushes['read']>) {
  try {
    return pushes.read(...given);
  } catch (error) {
    throw error instanceof SyntaxError ? notJson(error.message) : error;
  }
}
