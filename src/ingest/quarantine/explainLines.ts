/**
 * What is wrong with lines of the quarantine and what to do: for what a device sent, which device it is, which of its instruments, and
 * what the network file lacks.
 */
import type { Sql } from '../../database/client.ts';
import { explainReading, explainValue } from '../explain.ts';
import { instrumentOf, isOfKind, meaningOf, type PushRecord, pushFromText } from '../formats/airrohr.ts';
import { readingOf } from '../formats/json.ts';
import { readInstant, VALUE_REASONS } from '../validate.ts';

/** As much of a line as its explanation needs. */
export type ExplainedLine = { kind: string; reason: string; text: string; sensor_id: number | null };

type DeviceSensor = { id: number; kind: string | null; device: string };

/** A sentence for each line, in their order; null for a reason that this version does not have. `sql` is a pool of the owner. */
export async function explainLines(sql: Sql, lines: readonly ExplainedLine[]): Promise<(string | null)[]> {
  const pushes = lines.map(({ reason, text }) => (reason === 'unknown_sensor' ? pushFromText(text) : undefined));
  const devices = [...new Set(pushes.flatMap((push) => push?.device ?? []))];
  const sensors =
    devices.length === 0
      ? []
      : await sql<DeviceSensor[]>`
          select id, kind, device from raw.sensor
          where device in (select jsonb_array_elements_text(${JSON.stringify(devices)}::text::jsonb)) order by id`;
  return lines.map(({ kind, reason, text, sensor_id }, index) => {
    const push = pushes[index];
    if (push !== undefined)
      return explainPush(
        push,
        sensors.filter(({ device }) => device === push.device),
      );
    if (kind === 'value') return (reason.split(':')[0] ?? '') in VALUE_REASONS ? explainValue(reason) : null;
    const given = partsOf(text);
    return explainReading(reason, { sensorId: sensor_id ?? given?.sensorId, measuredAt: given?.measuredAt }) ?? null;
  });
}

/** Of a line of JSON; of CSV the columns are not known any more. */
function partsOf(text: string): { sensorId: unknown; measuredAt: unknown } | undefined {
  try {
    return text.startsWith('{') ? readingOf(JSON.parse(text), text, 1, new Set()) : undefined;
  } catch {
    return undefined;
  }
}

const RETRY = 'import the network, then run quarantine retry';

function explainPush({ device, pin, values, measuredAt }: PushRecord, sensors: readonly DeviceSensor[]): string {
  const instruments = new Map<string, readonly string[]>();
  for (const { value_type } of values) {
    const kinds = meaningOf(value_type, pin)?.kinds;
    if (kinds !== undefined) instruments.set(instrumentOf(kinds), kinds);
  }
  const entry = (instrument: string) => `{"id": …, "kind": "${instrument}", "device": "${device}"}`;
  const names = [...instruments.keys()];
  if (sensors.length === 0) {
    const entries = names.map(entry).join(', ');
    return `device ${device} sent values of ${names.join(', ')}, but no sensor of the network has this device: write ${entries} into the sensors of its station, ${RETRY}`;
  }
  const parts = [...instruments].map(([instrument, kinds]) => {
    const fitting = sensors.filter(({ kind }) => kind !== null && isOfKind(kind, kinds));
    const [one, ...others] = fitting.length > 0 ? fitting : sensors.filter(({ kind }) => kind === null);
    if (one === undefined) {
      const has = sensors.map(({ id, kind }) => `${id} (${kind})`).join(', ');
      return `device ${device} has sensors ${has} in the network, but no ${instrument}: write ${entry(instrument)} into the sensors of its station, or correct a "kind"`;
    }
    if (others.length > 0) {
      const all = [one, ...others].map(({ id }) => id).join(' and ');
      return `sensors ${all} of device ${device} may both be its ${instrument}: give each its "kind", and leave out the one that the device does not have`;
    }
    const day = readInstant(measuredAt) === undefined ? 'then' : `on ${measuredAt}`;
    return `sensor ${one.id}, the ${instrument} of device ${device}, was at no station ${day}: correct its periods in "stations"`;
  });
  return `${parts.join('; ')}; ${RETRY}`;
}
