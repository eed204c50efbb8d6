/** All doubts about a source, one policy a file: each keeps what it has seen (S7, S8, S9). */
import type { Doubt } from '../../../ingest/reading/doubt.ts';
import type { ReadingInput } from '../../../ingest/reading/reading.ts';
import type { Vocabulary } from '../../../ingest/reading/vocabulary.ts';
import { makeDividing } from './dividing.ts';
import { makeEnds } from './ends.ts';
import { makeFacts, noteRow, type SourceFacts } from './facts.ts';
import { makeHalfDay } from './halfDay.ts';
import { makeOtherUnits } from './otherUnits.ts';
import { makeOtherZone } from './otherZone.ts';
import { makeOwnPlaces } from './ownPlaces.ts';
import type { Plan } from './plan.ts';
import { makeReducedPressure } from './reducedPressure.ts';
import type { SeenRow } from './seenRow.ts';
import { makeShortSeconds } from './shortSeconds.ts';
import { makeUnsaidUnits } from './unsaidUnits.ts';
import { unitsOf } from './values.ts';
import { makeVerdicts } from './verdicts.ts';

/** What is found out about a source while it is read. */
export type Findings = { facts: SourceFacts; doubts: Doubts };

export type Doubts = ReturnType<typeof makeDoubts>;

export function makeFindings(): Findings {
  const facts = makeFacts();
  return { facts, doubts: makeDoubts(facts) };
}

function makeDoubts(facts: SourceFacts) {
  const known = new WeakSet<Plan>();
  const dividing = makeDividing();
  const reduced = makeReducedPressure();
  const unsaid = makeUnsaidUnits();
  const zone = makeOtherZone();
  const halfDay = makeHalfDay();
  const ends = makeEnds();
  const seconds = makeShortSeconds();
  const verdicts = makeVerdicts();
  const places = makeOwnPlaces();
  return {
    /** Looks at a row with all that was read of it. */
    see(seen: SeenRow): void {
      const { row, plan, owner, reading, column, time } = seen;
      const isFirst = !known.has(plan);
      if (isFirst) known.add(plan);
      if (isFirst || !saysAllAtOnce(plan)) {
        const units = unitsOf(seen, isFirst);
        noteRow(facts, seen, units);
        dividing.see(row, owner, plan);
        reduced.see(seen, isFirst);
        unsaid.see(units);
        verdicts.see(row, plan.verdicts);
      }
      if (plan.place !== undefined && reading !== undefined) places.see(row, plan.place, reading);
      if (column === undefined) return;
      ends.see(seen, column);
      if (time === undefined || plan.interval !== undefined) return;
      zone.see(column, time);
      halfDay.see(column, time, owner);
      seconds.see(time);
    },
    seeHeader: ends.seeHeader,
    observersOf: zone.observersOf,
    places: places.all,
    /**
     * The doubts, the gravest first. `readings`: those whose values are looked at; none where that
     * was done before. `without`: parameters whose values are explained elsewhere.
     */
    of(readings: readonly ReadingInput[], say: Vocabulary, without = NONE): Doubt[] {
      const otherUnits = makeOtherUnits(facts, without);
      for (const one of readings) otherUnits.see(one);
      return [
        ...dividing.doubts(say),
        ...reduced.doubts(say),
        ...unsaid.doubts(say, readings),
        ...otherUnits.doubts(say),
        ...zone.doubts(say),
        ...halfDay.doubts(say),
        ...ends.doubts(say, facts),
        ...seconds.doubts(say, facts),
        ...verdicts.doubts(say),
      ];
    },
    ofContradictions: halfDay.ofContradictions,
  };
}

/** True for a table that describes its values by its columns alone, as most tables do. */
const saysAllAtOnce = ({ table, long, hasUnitsInRows, hasRivals, dividing, verdicts }: Plan) =>
  table !== undefined &&
  long === undefined &&
  !hasUnitsInRows &&
  !hasRivals &&
  dividing.length + verdicts.length === 0;

const NONE: ReadonlySet<string> = new Set();
