import type { CleanedEnv } from 'envalid';
import type { Bus } from '../bus/index.ts';
import type { Database, DatabaseOptions, Queryable } from '../pg/index.ts';
import type { Mesh, RecordConsumerCalls } from '../rpc/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';
import type { Settings } from './settings/index.ts';

export type { Settings };

/** `migrations` is the folder of its SQL files; with `jobs` it also has a job queue. */
export type ServiceDatabase = Pick<DatabaseOptions, 'migrations' | 'jobs'>;

/** A service as the process that runs it sees it: its name, its settings, and how it starts. */
export interface Service<S extends Settings = Settings> {
  /** The word: folder, package, proto package, schema and env prefix. */
  readonly name: string;
  readonly settings: S;
  /** Words of the services that it calls. Each runs in the same process or has an address. A test compares them with the sources. */
  readonly calls?: readonly string[];
  /** The service's own schema; absent for a service without one. */
  readonly database?: ServiceDatabase;
  /** Throws SettingsError for settings that are valid alone but cannot work together. Opens nothing. */
  check?(config: Readonly<CleanedEnv<S>>): void;
  /** Sentences about settings that may do harm and are taken all the same: `--check` prints them, and the service logs them when it starts. */
  weaknesses?(config: Readonly<CleanedEnv<S>>): readonly string[];
  /** Names of its commands: `reencrypt` is run by `npm start -- <service> --reencrypt`. */
  readonly commands?: readonly string[];
  /** Runs one of its commands, beside the running mesh. */
  command?(name: string, host: CommandHost<S>): Promise<void>;
  /** Compares its rows with what it keeps outside the database, for `npm start -- verify-restore`. Returns how much it compared, as a sentence. */
  verify?(host: VerifyHost<S>): Promise<string>;
  /** Opens what the service needs, registers its RPCs on `host.mesh`, and returns how to check and drain it. */
  start(host: Host<S>): Promise<Running>;
}

/** The resources of the process that a service may use. */
export interface Host<S extends Settings = Settings> {
  readonly config: Readonly<CleanedEnv<S>>;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly mesh: Mesh;
  readonly bus: Bus;
  /** Folder for local data of the process (`DATA_DIR`), as an absolute path. */
  readonly dataDir: string;
  /** Resources that the service opens; they are closed in reverse order, after the drain. */
  readonly resources: AsyncDisposableStack;
  /** Aborts when the process starts to drain: loops and consumers end, in-flight work is finished. */
  readonly draining: AbortSignal;
  /** Opens and migrates the service's own schema, and pushes the pool on `resources`. */
  openDatabase(): Promise<Database>;
}

/** A secret that the keys service has sealed and another service stores: a header of an agent, or a secret that signs messages. */
export type SealedPlace = { readonly accountId: string } & (
  | { readonly kind: 'header'; readonly url: string; readonly name: string }
  | { readonly kind: 'signing'; readonly id: string }
);

/** Seals a stored secret again under the present `ENCRYPT_KEY`. Answers the same envelope when it is under that key already, and undefined when no key opens it. */
export type Reseal = (envelope: string, place: SealedPlace) => Promise<string | undefined>;

/** The resources that a command may use. */
export interface CommandHost<S extends Settings = Settings> extends Pick<Host<S>, 'config' | 'openDatabase'> {
  /** For `reencrypt`. Throws SettingsError without `ENCRYPT_KEY`. */
  readonly reseal: () => Reseal;
  /** Prints a line for the operator. */
  readonly print: (line: string) => void;
}

/** The resources of a comparison after a restore. */
export interface VerifyHost<S extends Settings = Settings> extends Pick<Host<S>, 'config' | 'dataDir' | 'resources'> {
  /** The rows of the service's schema. */
  readonly db: Queryable;
  /** Takes a sentence about something that is lost. */
  readonly fault: (line: string) => void;
  /** Takes a sentence about something that is left over: it costs space and nothing else. */
  readonly leftOver: (line: string) => void;
}

/** A started service. */
export interface Running {
  /** Public address of the service, e.g. `http://127.0.0.1:8000`. Only the gateway has one. */
  readonly address?: string;
  /** Checks of what it depends on, by name; each throws when the dependency fails. */
  readonly ready?: Readonly<Record<string, () => Promise<void>>>;
  /**
   * Checks of siblings that most of its work needs, by name. They have to pass once before the process is put to use; after that, a
   * sibling that is away is named by `/readyz`, but this process stays in service.
   */
  readonly siblings?: Readonly<Record<string, () => Promise<void>>>;
  /** Checks of siblings, and of the machine, that some of its work needs, by name. The process is put to use without them 30 s after its start. */
  readonly optionalSiblings?: Readonly<Record<string, () => Promise<void>>>;
  /** Resolves when in-flight work is finished, within `leftMs`; new work has been refused since `draining` aborted. */
  drain?(leftMs: number): Promise<void>;
  /** Resolves when consumers and jobs have nothing left to do. For tests. */
  settle?(): Promise<void>;
  /** Records calls of consumers of all services of the process. Only auth has it; where auth is another process, its RPC records them. */
  readonly recordConsumerCalls?: RecordConsumerCalls;
}

/**
 * Types a service by its own settings, and hands it over as any service.
 *
 *     export const notes = defineService({
 *       name: 'notes',
 *       settings: { NOTES_MAX_BYTES: positiveInteger({ default: 65_536 }) },
 *       database: { migrations: new URL('../migrations/', import.meta.url) },
 *       start: async ({ mesh, openDatabase, config }) => {
 *         mesh.serve(NotesService, createHandlers({ db: await openDatabase(), config }));
 *         return {};
 *       },
 *     });
 */
export function defineService<S extends Settings>(service: Service<S>): Service {
  return service;
}
