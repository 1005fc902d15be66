import type { Bus } from '@agentmesh/lib/bus';
import type { Logger, Metrics } from '@agentmesh/lib/telemetry';
import type { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import type { AuthService } from '@agentmesh/proto/auth/v1';
import type { KeysService } from '@agentmesh/proto/keys/v1';
import type { IntegrationsService } from '@agentmesh/proto/keys/v1/integrations';
import type { ModelUseService } from '@agentmesh/proto/keys/v1/model_use';
import type { SavedKeysService } from '@agentmesh/proto/keys/v1/saved_keys';
import type { MemoryService } from '@agentmesh/proto/memory/v1';
import type { RunsService } from '@agentmesh/proto/runs/v1';
import type { AgentsService } from '@agentmesh/proto/runs/v1/agents';
import type { NoticesService } from '@agentmesh/proto/runs/v1/notices';
import type { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { TranscriptionService } from '@agentmesh/proto/transcription/v1';
import type { LogsService } from '@agentmesh/proto/webhooks/v1/logs';
import type { NotificationsService } from '@agentmesh/proto/webhooks/v1/notifications';
import type { RunWebhooksService } from '@agentmesh/proto/webhooks/v1/run_webhooks';
import type { SchedulesService } from '@agentmesh/proto/webhooks/v1/schedules';
import type { SubscriptionsService } from '@agentmesh/proto/webhooks/v1/subscriptions';
import type { Client } from '@connectrpc/connect';
import type { Config } from './config.ts';
import type { Authentication } from './edge/authentication/authenticate.ts';
import type { ArrivingRuns } from './edge/arrivals/arriving-runs.ts';
import type { BodyBudgets } from './edge/bodies/receive-body.ts';
import type { BrowserSession } from './edge/authentication/browser-session.ts';
import type { RunTickets } from './edge/authentication/tickets/run-tickets.ts';
import type { AddressLimit } from './edge/throttle/address-limit.ts';
import type { SignIn } from './edge/throttle/sign-in.ts';

export type { App } from './edge/http/app.ts';

/** Parts that slices use. */
export interface Context {
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly authentication: Authentication;
  /** Sign-in of browsers; undefined unless the console or the web UI is served. */
  readonly browser: BrowserSession | undefined;
  readonly runTickets: RunTickets;
  /** Room for bodies that are kept in memory. */
  readonly bodies: BodyBudgets;
  /** Requests that start runs, on all routes that do. */
  readonly arriving: ArrivingRuns;
  /** Makes the next request of an account ask auth again. */
  readonly forgetAccount: (accountId: string) => void;
  readonly signIn: SignIn;
  readonly limitMail: AddressLimit;
  readonly limitSignUp: AddressLimit;
  readonly limitAnswers: AddressLimit;
  readonly limitDevices: AddressLimit;
  readonly auth: Client<typeof AuthService>;
  readonly sessions: Client<typeof SessionsService>;
  readonly runs: Client<typeof RunsService>;
  readonly agents: Client<typeof AgentsService>;
  readonly notices: Client<typeof NoticesService>;
  readonly memory: Client<typeof MemoryService>;
  readonly artifacts: Client<typeof ArtifactsService>;
  readonly transcription: Client<typeof TranscriptionService>;
  readonly keys: Client<typeof KeysService>;
  readonly integrations: Client<typeof IntegrationsService>;
  readonly modelUse: Client<typeof ModelUseService>;
  readonly savedKeys: Client<typeof SavedKeysService>;
  readonly subscriptions: Client<typeof SubscriptionsService>;
  readonly notifications: Client<typeof NotificationsService>;
  readonly runWebhooks: Client<typeof RunWebhooksService>;
  readonly schedules: Client<typeof SchedulesService>;
  readonly webhookLogs: Client<typeof LogsService>;
  readonly bus: Bus;
  /** Aborts when the process starts to drain. */
  readonly draining: AbortSignal;
  /** Aborts shortly before the end of the drain: streams that are still open tell their readers where to go on. */
  readonly leaving: AbortSignal;
}

/** Deadline of short calls to services. */
export const unary = { timeoutMs: 30_000 } as const;
