/**
 * The order of test files where none has run before, as in a fresh checkout: Vitest would begin with
 * the largest, and a core would be idle while the last one runs.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest first; those that mostly wait stand apart, or two would leave a core idle. */
const SLOWEST = [
  'test/lab/reference/reference.test.ts',
  'test/aggregate/engines.test.ts',
  'test/lab/sim/simulation.test.ts',
  'test/aggregate/tampering.test.ts',
  'test/serve/away.test.ts',
  'test/aggregate/zoneRules.test.ts',
  'test/aggregate/audit.test.ts',
  'test/aggregate/keptHours.test.ts',
  'test/database/locks.test.ts',
  'test/whole/upgrade/upgrade.test.ts',
  'test/whole/upgrade/rebuild.test.ts',
  'test/commands/cli.test.ts',
  'test/whole/startAndStop/service.test.ts',
  'test/extras/demo/replace.test.ts',
  'test/schema/migrate.test.ts',
  'test/extras/feeds/pullDue.test.ts',
  'test/extras/embedded/owner.test.ts',
  'test/whole/mistakes/surroundings.test.ts',
  'test/network/wholeNetwork.test.ts',
  'test/whole/wiring.test.ts',
  'test/extras/embedded/service.test.ts',
  'test/whole/startAndStop/uncaught.test.ts',
  'test/schema/dependents.test.ts',
];

const rank = ({ moduleId }: TestSpecification): number => {
  const index = SLOWEST.findIndex((path) => moduleId.endsWith(path));
  return index === -1 ? SLOWEST.length : index;
};

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
