/** What a request declares about its body, in the query string. */
import type { Request } from 'express';
import type { Format } from '../ingest/formats/fields.ts';

/** `?unit=no2=ug/m3&column=pm25=PM2_5&zone=Europe/Berlin&sensor_id=11&device=garden`; a device may stand in the path, too. */
export function declaredFormat(req: Request, name: string | undefined, now: Date): Format {
  const query = new URLSearchParams(req.url.includes('?') ? req.url.slice(req.url.indexOf('?') + 1) : '');
  return {
    name,
    now,
    units: query.getAll('unit'),
    columns: query.getAll('column'),
    zone: query.get('zone') ?? undefined,
    sensor: query.get('sensor_id') ?? undefined,
    device: query.get('device') ?? deviceIn(req.path),
  };
}

/** AirGradient's firmware has it in the path that it appends to the address of its server. */
function deviceIn(path: string): string | undefined {
  const [, rest] = path.split('/sensors/airgradient:');
  return rest?.split('/', 1)[0];
}
