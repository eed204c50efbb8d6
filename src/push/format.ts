/** What a request declares about its body, in the query string. */
import type { Request } from 'express';
import { Problem, quoted } from '../http/send.ts';
import type { Format } from '../ingest/formats/fields.ts';

const PARAMETERS: readonly string[] = ['unit', 'column', 'zone', 'date_format', 'sensor_id', 'device'];

/** `?unit=no2=ug/m3&column=pm25=PM2_5&zone=Europe/Berlin&date_format=dd/mm/yyyy&sensor_id=11&device=garden`; a device may stand in the path, too. Throws Problem for any other name. */
export function declaredFormat(req: Request, name: string | undefined, now: Date): Format {
  const query = new URLSearchParams(req.url.includes('?') ? req.url.slice(req.url.indexOf('?') + 1) : '');
  const unknown = [...query.keys()].find((key) => !PARAMETERS.includes(key));
  if (unknown !== undefined) {
    const all = PARAMETERS.join(', ');
    throw new Problem(
      400,
      `There is no parameter ${quoted(unknown)}. The address may have ${all}. Nothing was stored.`,
    );
  }
  return {
    name,
    now,
    units: query.getAll('unit'),
    columns: query.getAll('column'),
    zone: query.get('zone') ?? undefined,
    dateFormat: query.get('date_format') ?? undefined,
    sensor: query.get('sensor_id') ?? undefined,
    device: query.get('device') ?? deviceIn(req.path),
  };
}

/** AirGradient's firmware has it in the path that it appends to the address of its server. */
function deviceIn(path: string): string | undefined {
  const [, rest] = path.split('/sensors/airgradient:');
  return rest?.split('/', 1)[0];
}
