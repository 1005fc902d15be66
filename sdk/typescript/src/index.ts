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
export type { Gap, RunEvent } from './runs/run-log.ts';
export type { FinalRun, RunStream } from './runs/run-stream.ts';
export type { RunFilter, RunRequest, WatchOptions } from './runs/runs.ts';
export type { SessionName, SessionPlace } from './resources/sessions.ts';
export type { List, ListOptions, Page } from './streams/list.ts';
export type { Call, CallOptions, Upload } from './transport/call.ts';
export type { CallAnswer, CallInput, MethodOf, RoutePath } from './transport/typed-call.ts';
export { route } from './transport/call.ts';
export type { TokenSource } from './transport/credentials.ts';
export type { Change, ChangeEvent } from './resources/changes.ts';
export type { Integration } from './resources/integrations.ts';
export type { Download, UploadOptions } from './resources/artifacts.ts';
export type { SavedKey } from './resources/keys.ts';
export type { MemoryEntry } from './resources/memory.ts';
export type { Notification } from './resources/notifications.ts';
export type { Schedule } from './resources/schedules.ts';
export type { PersonalToken } from './resources/tokens.ts';
export type { UsageLimit } from './resources/usage.ts';
export type { WebhookLog, WebhookLogFilter, WebhookSubscription } from './resources/webhooks.ts';
export {
  type RunWebhookMessage,
  verifyWebhook,
  WebhookVerificationError,
  type VerifyOptions,
} from './verify-webhook.ts';
