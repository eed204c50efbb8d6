/** A station whose clock differs from its neighbours' is found by its hours. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sensorTable } from '../../src/commands/status.ts';
import { connect, type Sql } from '../../src/database/client.ts';
import { NOW } from '../support/clock.ts';
import { onOneEngine, type TestDatabase, testDatabase } from '../support/database.ts';
import { seeded } from '../support/random.ts';
import { bringIn } from '../support/smallNetwork.ts';
import { HOUR, network } from './suspect/town.ts';

/** Stations 1 to 4 are within 10 km of one another; station 6 is 11 km from the next of the town. */
const STATIONS = [1, 2, 3, 4, 6];

onOneEngine('a clock that can be seen in the data', (engine) => {
  let db: TestDatabase;
  let owner: Sql;
  beforeAll(async () => {
    db = await testDatabase(engine);
    owner = db.as('airseries_owner', 'UTC');
    await bringIn(owner, network());
  });
  beforeEach(() => owner`truncate raw.readings, raw.flag_period`);
  afterAll(() => db.drop());

  /** The same air everywhere but for some noise, stamped `late` hours late at a station. */
  const measure = async (
    column: 'temperature' | 'pm25',
    late: Readonly<Record<number, number>>,
    { days = 12, stations = STATIONS } = {},
  ) => {
    const random = seeded(5);
    let front = 0;
    const air = Array.from({ length: days * 24 + 4 }, (_, hour) => {
      front += random.next() * 2 - 1;
      return 15 + front + 4 * Math.sin((hour * Math.PI) / 12);
    });
    const rows = stations.flatMap((station) =>
      Array.from({ length: days * 24 }, (_, n) => ({
        measured_at: new Date(NOW.getTime() - (n + 1) * HOUR),
        sensor_id: 10 * station + 1,
        [column]: (air[n + 2 + (late[station] ?? 0)] as number) + random.next(),
      })),
    );
    await owner`insert into raw.readings ${owner(rows)}`;
    await db.refresh(NOW);
  };
  const shifts = async (only: number | null = null) => [
    ...(await owner`select station_id as station, parameter, shift_hours as shift, is_clear as clear
      from api.station_shift(${NOW}, ${only}) order by station_id`),
  ];
  const fits = (station: number, parameter = 'temperature', shift = 0) => ({
    station,
    parameter,
    shift,
    clear: shift !== 0,
  });

  it.each([1, -1, 2, -2])(
    'a station whose time stamps are %i hours late is found, with the hours to move it by',
    async (late) => {
      await measure('temperature', { 3: late });
      expect(await shifts()).toEqual([fits(1), fits(2), fits(3, 'temperature', -late), fits(4)]);
      expect(await shifts(3)).toEqual([fits(3, 'temperature', -late)]);
      expect(await shifts(2)).toEqual([fits(2)]);
    },
  );

  it('a wrong clock is found by PM2.5 where temperature is not measured, and told in words', async () => {
    await measure('pm25', { 1: 1 });
    expect(await shifts()).toEqual([
      fits(1, 'pm2.5', -1),
      ...[2, 3, 4].map((id) => fits(id, 'pm2.5')),
    ]);
    const rows = await owner`select * from api.station_shift(${NOW}) where is_clear`;
    const found = rows as unknown as NonNullable<Parameters<typeof sensorTable>[0]['shifts']>;
    expect(sensorTable({ sensors: [], unknown: [], shifts: found }, NOW)).toMatch(
      /\n\nStation 1 fits its neighbours best one hour earlier \(pm2.5 of 288 hours: r 0\.\d+, as it is 0\.\d+\): stamps at the end, or the zone\?$/,
    );
    await owner`update raw.readings set temperature = pm25`;
    await db.refresh(NOW);
    expect((await shifts())[0]).toEqual(fits(1, 'temperature', -1));
  });

  it('only the station that is off is named, also where it has two neighbours only', async () => {
    await measure('temperature', { 1: 2 }, { stations: [1, 2, 3] });
    expect((await shifts()).filter(({ clear }) => clear)).toEqual([fits(1, 'temperature', -2)]);
    expect(await shifts(2)).toMatchObject([{ station: 2, clear: false }]);
  });

  it('one neighbour or fewer than 200 hours are not enough to judge a clock', async () => {
    await measure('temperature', { 1: 1 }, { stations: [1, 2, 6] });
    expect(await shifts()).toEqual([]);
    await owner`truncate raw.readings`;
    // two hours earlier or later, 199 of them can be compared
    await measure('temperature', { 1: 1 }, { days: 201 / 24 });
    expect(await shifts()).toEqual([]);
  });

  it('each hour is compared with five others at most, also before the tables have statistics', async () => {
    await measure('temperature', {}, { stations: [1, 2, 3, 4] });
    const plans: Plan[] = [];
    const superuser = connect(db.target, {
      onNotice: ({ message }) => {
        if (message?.includes('plan:') === true)
          plans.push(JSON.parse(message.slice(message.indexOf('{'))).Plan);
      },
    });
    try {
      await superuser.unsafe(`load 'auto_explain'; set auto_explain.log_min_duration = 0;
        set auto_explain.log_nested_statements = on; set auto_explain.log_analyze = on; set auto_explain.log_timing = off;
        set auto_explain.log_format = json; set auto_explain.log_level = notice`);
      await superuser`select from api.station_shift(${NOW})`;
    } finally {
      await superuser.end();
    }
    const visited = plans.flatMap(rowsVisited);
    expect(visited.length).toBeGreaterThan(20);
    expect(Math.max(...visited)).toBeLessThanOrEqual(5 * 4 * 12 * 24);
  });

  it('a flagged thermometer accuses neither its station nor its neighbours, and PM2.5 is compared without it', async () => {
    await measure('temperature', { 3: 2 }, { stations: [1, 2, 3] });
    await owner`update raw.readings set pm25 = extract(hour from measured_at) + sensor_id`;
    await db.refresh(NOW);
    expect((await shifts()).filter(({ clear }) => clear)).toEqual([fits(3, 'temperature', -2)]);
    for (const kind of ['thp', 'pm']) {
      await owner`insert into raw.flag_period (station_id, kind, since, until)
        values (3, ${kind}, '-infinity', 'infinity')`;
      expect(await shifts()).toEqual(
        kind === 'thp' ? [1, 2, 3].map((id) => fits(id, 'pm2.5')) : [],
      );
    }
  });
});

type Plan = {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Join Filter'?: number;
  Plans?: Plan[];
};

/** The rows visited by each node of a plan. */
function rowsVisited(plan: Plan): number[] {
  const rows = plan['Actual Rows'] + (plan['Rows Removed by Join Filter'] ?? 0);
  return [rows * plan['Actual Loops'], ...(plan.Plans ?? []).flatMap(rowsVisited)];
}
