/** Rows of one parameter each contradict each other by parameter (S3, S7). */
import { expect, it } from 'vitest';
import { COMMAND_LINE } from '../../../../src/ingest/reading/vocabulary.ts';
import { readText } from '../support.ts';

it('rows of one parameter each contradict each other only in that parameter', async () => {
  const contradictionsOf = async (...rows: string[]) => {
    const text = `location_id,sensors_id,datetime,parameter,value,units\n${rows.join('')}`;
    const { doubts } = await readText(text, { shift: '0min' });
    const [doubt] = doubts.of([], COMMAND_LINE);
    return Number.parseInt(doubt?.what ?? doubts.corrections() ?? '0', 10);
  };
  const of = (parameter: string, value: number) =>
    `1,2,2026-11-20T08:00:00Z,${parameter},${value},µg/m³\n`;
  expect(await contradictionsOf(of('pm25', 5), of('pm10', 8))).toBe(0);
  expect(await contradictionsOf(of('pm25', 5), of('pm25', 8))).toBe(1);
});
