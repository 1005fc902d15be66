import { addAgents, agentExport } from './agents/index.ts';
import type { App, Context } from './context.ts';
import type { Section } from './edge/openapi/describe-api.ts';
import { addArtifacts, artifactExport } from './artifacts/index.ts';
import { accountExport, addAuth } from './auth/index.ts';
import { addConsole } from './console/index.ts';
import { addDoors } from './doors/index.ts';
import { addExport } from './export/index.ts';
import type { ExportPart } from './export-part.ts';
import { addIntegrations, integrationExport } from './integrations/index.ts';
import { addKeys, addSavedKeys, addUsage, keysExport } from './keys/index.ts';
import { addMemory, memoryExport } from './memory/index.ts';
import { addOperations } from './operations/index.ts';
import { addRuns, runExport } from './runs/index.ts';
import { addSchedules, scheduleExport } from './schedules/index.ts';
import { addSessions, sessionExport } from './sessions/index.ts';
import { addTranscription } from './transcription/index.ts';
import { addWebUi } from './web-ui/index.ts';
import { addWebhooks, mailExport } from './webhooks/index.ts';

/** All that an account has, in the order of its export. */
const exportParts: readonly ExportPart[] = [
  accountExport,
  integrationExport,
  keysExport,
  agentExport,
  scheduleExport,
  mailExport,
  sessionExport,
  runExport,
  artifactExport,
  memoryExport,
];

/** The public API, slice by slice. */
export const slices: readonly ((app: App, context: Context) => void | Promise<void>)[] = [
  addOperations,
  addAuth,
  (app, context) => addExport(app, context, exportParts),
  addRuns,
  addSchedules,
  addAgents,
  addSessions,
  addArtifacts,
  addMemory,
  addTranscription,
  addKeys,
  addSavedKeys,
  addIntegrations,
  addUsage,
  addWebhooks,
  addWebUi,
  addConsole,
  addDoors,
];

/** Sections of the API's documentation, in the order that a newcomer needs them. */
export const sections: readonly Section[] = [
  { name: 'accounts', description: 'Sign up, sign in, tokens for programs, account mail, users, audit.' },
  { name: 'sessions', description: 'Conversations of one end user with one application: state and events.' },
  { name: 'runs', description: 'Send a message to an agent in a session and get its events.' },
  { name: 'schedules', description: 'Messages that are sent to agents at the times of cron expressions.' },
  { name: 'apps', description: 'The applications that there are.' },
  { name: 'agents', description: 'Agents that the account makes, each an application of its own.' },
  { name: 'chat', description: 'Sessions and runs in the form of apowerb’s UI.' },
  { name: 'notifications', description: 'Runs in the background, and runs that mail started, that have ended.' },
  { name: 'changes', description: 'What changes in an account, for programs that show it.' },
  { name: 'artifacts', description: 'Named, versioned payloads of a session, or of its user (`user:` names).' },
  { name: 'memory', description: 'What past sessions of a user have said, found by search.' },
  { name: 'audio', description: 'Recorded speech as text.' },
  { name: 'integrations', description: 'Mail accounts that an account has connected.' },
  { name: 'webhooks', description: 'Subscriptions to mailboxes: mail that arrives runs agents.' },
  { name: 'keys', description: 'Saved keys for model providers.' },
  { name: 'usage', description: 'What the account has used of models, and its limits.' },
  {
    name: 'administration',
    description: 'What operators ask: which accounts are slow or expensive, and what holds a run.',
  },
  { name: 'agent identity', description: 'Consent of end users to connectors.' },
  { name: 'operations', description: 'Probes, version and public configuration.' },
];
