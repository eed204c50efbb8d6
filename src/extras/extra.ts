/**
 * An extra is a value, which src/extras.ts lists: what it reads from the environment, and what it
 * adds to the metrics, the command line and the service. Nothing else of the program knows it, so
 * it goes with its folders and its line in the list.
 */
import type { IRouter } from 'express';
import type { z } from 'zod';
import type { Job } from '../aggregate/jobs.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Additions, CommandLine } from '../commands/program.ts';
import type { ProviderFacts } from '../commands/status.ts';
import type { Database, DatabaseAddress } from '../database/address.ts';
import { canonical } from '../ingest/canonical.ts';
import type { ReadingFormats } from '../ingest/formats.ts';
import type { Metrics } from '../metrics/definitions.ts';
import type { ProviderKeys, SourceForms } from '../network/schema.ts';
import type { Offers, PageMaker, PageParts, SentProblem } from '../serve/app.ts';
import type { Content, Kind } from '../serve/document.ts';
import type { Read } from '../serve/read.ts';

/** Extras take the types of routes from here. */
export type { Content, Kind, Offers, PageMaker, PageParts, Read, SentProblem };

type Variables = Readonly<Record<string, z.ZodType>>;
type SettingsOf<Own extends Variables> = { readonly [Key in keyof Own]: z.infer<Own[Key]> };

export type Extra<Own extends Variables = Variables, OwnMetrics = unknown> = {
  name: string;
  /** By their keys in the settings, each registered with its name and meaning. */
  variables: Own;
  /** Why settings that are each right cannot be together; undefined: they can. */
  conflict?(settings: SettingsOf<Own>): string | undefined;
  /** The forms in which readings come, in place of the core's own. Only one extra has them. */
  formats?: ReadingFormats;
  /** Keys of a provider in the network file, which the core stores and hands on unread. */
  providerKeys?(formats: ReadingFormats): ProviderKeys;
  /** Facts of providers that `status` shows because of it. */
  providerFacts?: ProviderFacts;
  /** A sentence of `status` on its settings; undefined: nothing to say. */
  remark?(settings: SettingsOf<Own>): string | undefined;
  /** Makes its metrics, for one process, beside the core's. */
  metrics?(core: Metrics): OwnMetrics;
  /**
   * Adds its commands, and what the core's commands need because of it. `settings` and `dataFolder`
   * read the configuration, which `help` must not need.
   */
  commands?(
    line: CommandLine & { settings(): SettingsOf<Own>; dataFolder(): string | undefined },
  ): void;
  /** The database where the configuration names none. Only one extra has it. */
  database?: {
    /** Where the data are, as configured. */
    folder(settings: SettingsOf<Own>): string;
    /** With `mustExist`, makes none. `own`: its metrics, in a service. */
    open(options: {
      settings: SettingsOf<Own>;
      log: Log;
      mustExist: boolean;
      own?: OwnMetrics | undefined;
    }): Promise<Database>;
  };
  /**
   * Called first when a service starts. Rejects with InputError where something that is configured
   * cannot be used.
   */
  open?(context: ServiceContext<SettingsOf<Own>, OwnMetrics>): Opened | Promise<Opened>;
};

type ServiceContext<Settings, OwnMetrics> = {
  settings: Settings;
  metrics: Metrics;
  /** The result of its `metrics`. */
  own: OwnMetrics;
  clock: Clock;
  log: Log;
  /** The forms in which readings come. */
  formats: ReadingFormats;
  /** The folder of the bundled database; undefined where the configuration names a database. */
  dataFolder: string | undefined;
};

/** Where a process ingests readings and runs the jobs. */
export type Work = {
  target: DatabaseAddress;
  /** The database belongs to this installation alone. */
  embedded: boolean;
  timeZone: string;
  /** True if stderr is a terminal. */
  terminal: boolean;
};

/** The parts of an extra in a service. Each may be left out. */
export type Opened = {
  /** Adds routes to the public API. Where one is for `/`, it is the front page. */
  routes?(app: IRouter, parts: PageParts): void;
  /** Prepares the database, and resolves to the jobs. */
  jobs?(work: Work): Promise<Job[]>;
  /** Called once the jobs run: what a start does not wait for begins. */
  begin?(): void;
  /** Things that the routes of other extras may use; read when these routes are added. */
  offers?(): Offers;
  /** Called beside the end of the jobs, so only where these ran: acquire in `jobs`. */
  close?(): Promise<void>;
};

/** An extra whose functions get its own settings and metrics, which the list cannot name. */
export function defineExtra<const Own extends Variables, OwnMetrics = undefined>(
  extra: Extra<Own, OwnMetrics>,
): Extra {
  return extra as unknown as Extra;
}

/** The additions of extras to the command line. `settings` reads the configuration. */
export const additionsOf = (
  extras: readonly Extra[],
  settings: () => SettingsOf<Variables>,
): Omit<Additions, 'configuration'> => ({
  extend: (line) => {
    const folder = () => dataFolder(extras, settings());
    for (const { commands } of extras) commands?.({ ...line, settings, dataFolder: folder });
  },
  formats: formatsOf(extras),
  providerKeys: Object.assign(
    {},
    ...extras.map(({ providerKeys }) => providerKeys?.(formatsOf(extras))),
  ),
  sources: sourcesOf(formatsOf(extras)),
  providerFacts: extras.flatMap(({ providerFacts }) => providerFacts ?? []),
  remarks: () => extras.flatMap(({ remark }) => remark?.(settings()) ?? []),
});

/** Names that the network file may declare. A push by its name must mean nothing else. */
function sourcesOf({ sources, names, devicePushes }: ReadingFormats): SourceForms | undefined {
  if (sources === undefined) return undefined;
  const reserved = [...names, ...(devicePushes === undefined ? [] : [devicePushes.name]), 'any'];
  return { schema: sources.schema, reserved };
}

/** The forms in which readings come: an extra's, or the core's own. */
export const formatsOf = (extras: readonly Extra[]): ReadingFormats =>
  extras.find(({ formats }) => formats !== undefined)?.formats ?? canonical;

/** The folder of the bundled database; undefined where the configuration names a database. */
export function dataFolder(
  extras: readonly Extra[],
  settings: SettingsOf<Variables> & { databaseUrl?: unknown; readerDatabaseUrl?: unknown },
): string | undefined {
  if ((settings.databaseUrl ?? settings.readerDatabaseUrl) !== undefined) return undefined;
  return extras.find(({ database }) => database !== undefined)?.database?.folder(settings);
}

/** The bundled database: where its data are, and how it is opened. */
export type BundledDatabase = { folder: string; open(): Promise<Database> };

/** Undefined: no extra has one. `own`: the metrics of an extra, in a service. */
export function bundledDatabase(
  extras: readonly { extra: Extra; own?: unknown }[],
  options: { settings: SettingsOf<Variables>; log: Log; mustExist: boolean },
): BundledDatabase | undefined {
  const found = extras.find(({ extra }) => extra.database !== undefined);
  const database = found?.extra.database;
  if (database === undefined) return undefined;
  return {
    folder: database.folder(options.settings),
    open: () => database.open({ ...options, own: found?.own }),
  };
}
