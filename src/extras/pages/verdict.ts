/**
 * What is said of the air of a place: by the index that INDEX names, or where that is not known, by
 * the other one. Lists, maps, pages, frames and pictures all say this.
 */
import type { Region, Station } from '../../contract/current.ts';
import { type Band, BANDS as EUROPEAN_BANDS, type Pollutant } from '../../contract/explore/now.ts';
import type { ExploreAnswer } from '../../contract/explore.ts';
import type { IndexName } from '../../contract/words/indices.ts';
import { BANDS, bandOf, boxText, categoryOf, type Grade, type Look, lookOf } from './scale.ts';

/** The band of the European index, and the first pollutant in it with its mean in whole µg/m³. */
export type EuropeanGrade = readonly [Band, Pollutant, number];

export type Verdict = {
  grade: Grade;
  look: Look;
  /** The index that says it, and its category's key in the words of indices; unset: none does. */
  by?: { index: IndexName; category: string };
  /** The pollutant that makes the European index, where that says it. */
  maker?: Pollutant;
  /** True if INDEX names another one than that. */
  isOther: boolean;
  /** True if its particles are suspect (C9), so that it says nothing of the air. */
  isSuspect: boolean;
  /** Nothing was ever measured there. */
  isWaiting: boolean;
};

/** What a verdict is made of, besides the European index. */
type Judged = Pick<Station | Region, 'aqi' | 'measurement_time'> & {
  status?: Station['status'];
  is_bad_pm?: boolean;
  has_measured: boolean;
};

/** `european`: in the last closed hour, without suspect particles. */
export function verdictOf(
  index: IndexName,
  { aqi, measurement_time: time, status, is_bad_pm: isBad = false, has_measured }: Judged,
  european: EuropeanGrade | undefined,
): Verdict {
  const nothing: Verdict = {
    grade: null,
    look: 'unknown',
    isOther: false,
    isSuspect: false,
    isWaiting: !has_measured,
  };
  if (!has_measured) return nothing;
  if (status === 'offline') return { ...nothing, look: 'offline' };
  if (time === null) return nothing;
  if (european !== undefined && (index === 'eaqi' || aqi === null)) {
    const [category, maker, concentration] = european;
    const grade = [BANDS.indexOf(bandOf(category)), concentration] as const;
    const by = { index: 'eaqi', category } as const;
    return { ...nothing, grade, look: lookOf(grade), by, maker, isOther: index !== 'eaqi' };
  }
  if (aqi === null) return nothing;
  const by = { index: 'aqi', category: categoryOf(aqi) } as const;
  const said = { ...nothing, grade: aqi, by, isOther: index !== 'aqi' };
  return isBad ? { ...said, isSuspect: true } : { ...said, look: lookOf(aqi) };
}

/** The European index of a place by its own document, of gases alone where particles are suspect. */
export function gradeOf(
  {
    european_index: { pollutants, concentrations },
  }: Pick<ExploreAnswer<'stationNow'>, 'european_index'>,
  isSuspect: boolean,
): EuropeanGrade | undefined {
  const rank = (band: Band) => EUROPEAN_BANDS.indexOf(band);
  const known = (Object.entries(pollutants) as [Pollutant, Band | null][]).flatMap(
    ([pollutant, band]) =>
      band === null || (isSuspect && pollutant.startsWith('pm'))
        ? []
        : [[band, pollutant, concentrations[pollutant] ?? 0] as const],
  );
  return known.toSorted(([a], [b]) => rank(b) - rank(a))[0];
}

/** The text in its box: the US index, the concentration behind the European one, or a dash. */
export const boxOf = ({ grade }: Verdict): string => boxText(grade);

/** The indices that colour these places, the one that INDEX names first; suspect ones have none. */
export function usedIndices(verdicts: readonly Verdict[]): IndexName[] {
  const sorted = verdicts.toSorted((a, b) => Number(a.isOther) - Number(b.isOther));
  return [...new Set(sorted.flatMap(({ by, isSuspect }) => (isSuspect ? [] : (by?.index ?? []))))];
}

/** True if the trend, which is PM2.5's, says where this index goes: gases may go another way. */
export const hasTrend = ({ grade, maker }: Verdict): boolean =>
  typeof grade === 'number' || (maker?.startsWith('pm') ?? false);
