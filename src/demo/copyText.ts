/** Readings as the text that COPY takes: most of loading the history is making it, so it is put together from prepared pieces. */
import { METRIC_NAMES } from '../contract/parameters.ts';
import type { DemoSensor } from './measure.ts';
import type { DemoReading } from './readings.ts';

export const COPY_COLUMNS = ['measured_at', 'sensor_id', ...METRIC_NAMES].join(', ');

/** What stands before each value of a sensor's line, and after the last. */
const frames = new WeakMap<DemoSensor, string[]>();

/** The lines of one instant. */
export function copyLines(readings: readonly DemoReading[]): string {
  const [first] = readings;
  if (first === undefined) return '';
  const measured = new Date(first.at).toISOString();
  let text = '';
  for (const { sensor, values } of readings) {
    const frame = frames.get(sensor) ?? frameOf(sensor);
    text += measured;
    for (let n = 0; n < values.length; n++) text += `${frame[n]}${values[n]}`;
    text += frame[values.length];
  }
  return text;
}

function frameOf(sensor: DemoSensor): string[] {
  const frame: string[] = [];
  let gap = `\t${sensor.id}`;
  for (const name of METRIC_NAMES) {
    if (sensor.outputs.some((output) => output.name === name)) {
      frame.push(`${gap}\t`);
      gap = '';
    } else {
      gap += '\t\\N';
    }
  }
  frame.push(`${gap}\n`);
  frames.set(sensor, frame);
  return frame;
}
