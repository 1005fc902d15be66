import { type Static, Type } from 'typebox';
import { strict } from '../../edge/records/keywords.ts';
import { ofNamedApp, ownApp, record, RunAgentRequest } from '../run-record.ts';
import { RunWebhookRequest } from '../webhooks/webhook-record.ts';

const webhook = { webhook: Type.Optional(RunWebhookRequest) };
const StartRunRequest = Type.Object(
  { ...RunAgentRequest.properties, ...webhook },
  { ...record, ...strict, title: 'StartRunRequest', required: ['userId', 'sessionId'] },
);
type StartRunRequest = Static<typeof StartRunRequest>;

const StartNamedRunRequest = Type.Object(
  { ...RunAgentRequest.properties, ...webhook, ...ownApp },
  { ...ofNamedApp, ...strict, title: 'StartRunRequest' },
);

/** Record of a run in the background, which may have a webhook. `appName` is optional if a default app is set. */
export function startRunRequest(defaultApp: string | undefined) {
  return Type.Unsafe<StartRunRequest>(defaultApp === undefined ? StartNamedRunRequest : StartRunRequest);
}
