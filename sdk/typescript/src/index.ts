export { AgentMesh, type AgentMeshOptions } from './agent-mesh.ts';
export * from './errors.ts';
export type {
  Agent,
  Answer,
  Body,
  Content,
  Event,
  Part,
  Query,
  Run,
  RunStatus,
  Session,
  User,
  WaitingCall,
} from './records.ts';
export { textOf } from './records.ts';
export type { Answers, NamedAnswer } from './runs/answers.ts';
export type { NamedRun } from './runs/named-run.ts';
export type { Gap, RunEvent } from './runs/run-log.ts';
export type { FinalRun, RunStream } from './runs/run-stream.ts';
export type { RunFilter, RunRequest, Runs, WatchOptions } from './runs/runs.ts';
export type { Sessions, SessionName, SessionPlace } from './resources/sessions.ts';
export type { List, ListOptions, Page } from './streams/list.ts';
export type { Call, CallOptions, Upload } from './transport/call.ts';
export type { CallAnswer, CallInput, MethodOf, RoutePath } from './transport/typed-call.ts';
export { route } from './transport/call.ts';
export type { TokenSource } from './transport/credentials.ts';
export type { Changes, Change, ChangeEvent } from './resources/changes.ts';
export type { Integrations, Integration } from './resources/integrations.ts';
export type { Artifacts, Download, UploadOptions } from './resources/artifacts.ts';
export type { Keys, SavedKey } from './resources/keys.ts';
export type { Memory, MemoryEntry } from './resources/memory.ts';
export type { Notifications, Notification } from './resources/notifications.ts';
export type { Schedules, Schedule } from './resources/schedules.ts';
export type { Tokens, PersonalToken } from './resources/tokens.ts';
export type { Usage, UsageLimit } from './resources/usage.ts';
export type { Webhooks, WebhookLog, WebhookLogFilter, WebhookSubscription } from './resources/webhooks.ts';
export {
  type RunWebhookMessage,
  verifyWebhook,
  WebhookVerificationError,
  type VerifyOptions,
} from './verify-webhook.ts';
export type { Account } from './resources/account.ts';
export type { Agents } from './resources/agents.ts';
export type { Apps } from './resources/apps.ts';
