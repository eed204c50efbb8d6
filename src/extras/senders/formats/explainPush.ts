/** Explains why values that a device with the airRohr firmware sent belong to no sensor. */
import type { DeviceSensor } from '../../../ingest/formats.ts';
import { readInstant } from '../../../ingest/reading/instants.ts';
import { fittingSensors, meaningOf, type PushRecord } from './airrohr.ts';

const RETRY = 'import the network, then run quarantine retry';

/**
 * Why values that a device sent belong to no sensor: which device it is, which of its instruments,
 * and what the network file lacks. `sensors` are those that the network has for the device.
 */
export function explainPush(
  { device, pin, values, measuredAt }: PushRecord,
  sensors: readonly DeviceSensor[],
): string {
  const meanings = values.flatMap(({ value_type }) => meaningOf(value_type, pin) ?? []);
  const instruments = new Map(meanings.map(({ instrument, kinds }) => [instrument, kinds]));
  const entry = (instrument: string) => `{"id": …, "kind": "${instrument}", "device": "${device}"}`;
  if (sensors.length === 0) {
    const names = [...instruments.keys()];
    return `device ${device} sent values of ${names.join(', ')}, but no sensor of the network has this device: write ${names.map(entry).join(', ')} into the sensors of its station, ${RETRY}`;
  }
  const parts = [...instruments].map(([instrument, kinds]) => {
    const fitting = fittingSensors(sensors, kinds).map(({ id }) => id);
    if (fitting.length === 0) {
      const has = sensors.map(({ id, kind }) => `${id} (${kind})`).join(', ');
      return `device ${device} has sensors ${has} in the network, but no ${instrument}: write ${entry(instrument)} into the sensors of its station, or correct a "kind"`;
    }
    if (fitting.length > 1) {
      return `sensors ${fitting.join(' and ')} of device ${device} may both be its ${instrument}: give each its "kind", and leave out the one that the device does not have`;
    }
    const day = readInstant(measuredAt) === undefined ? 'then' : `on ${measuredAt}`;
    return `sensor ${fitting[0]}, the ${instrument} of device ${device}, was at no station ${day}: correct its periods in "stations"`;
  });
  return `${parts.join('; ')}; ${RETRY}`;
}
