/** Describes the stage beside what is stored (S10). */
import type { ReservedSql } from 'postgres';

/** A sensor's values of a parameter, in our units; hours in local time. Null: there are none. */
export type Described = {
  /** Null: nothing says whose they are, or the network does not have it. */
  sensor_id: number | null;
  station_id: number | null;
  parameter: string;
  first_hour: string;
  last_hour: string;
  count: number;
  lowest: number;
  median: number;
  highest: number;
  /** The median of the same hours that is stored of the sensor, and of stations within 50 km. */
  stored_median: number | null;
  nearby_median: number | null;
};

/** The rows of logic.describe_stage on the connection that has the stage. */
export async function describeStage(connection: ReservedSql): Promise<Described[]> {
  return await connection.unsafe<Described[]>('select * from logic.describe_stage()');
}
