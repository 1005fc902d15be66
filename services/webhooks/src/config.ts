import { addressList } from '@agentmesh/lib/outbound';
import { daysFrom, httpUrl, listOf, portNumber, positiveInteger, text } from '@agentmesh/lib/service';
import { type CleanedEnv, EnvError } from 'envalid';

const seconds = listOf((part) => {
  if (!/^[1-9]\d{0,5}$/.test(part)) throw new EnvError('must be whole numbers of at least 1, separated by commas');
  return Number(part);
});

/** Environment variables of this service; docs/settings.md explains each. */
export const settings = {
  PUBLIC_BASE_URL: httpUrl({ default: undefined }),
  HOST: text({ default: '127.0.0.1' }),
  PORT: portNumber({ default: 8000 }),
  MICROSOFT_GRAPH_BASE_URL: httpUrl({ default: 'https://graph.microsoft.com' }),
  GMAIL_BASE_URL: httpUrl({ default: 'https://gmail.googleapis.com' }),
  GMAIL_PUBSUB_PROJECT_ID: text({ default: undefined }),
  GMAIL_PUBSUB_TOPIC: text({ default: undefined }),
  GMAIL_PUBSUB_SUBSCRIPTION: text({ default: undefined }),
  GOOGLE_JWKS_URL: httpUrl({ default: 'https://www.googleapis.com/oauth2/v3/certs' }),
  GOOGLE_WEBHOOK_AUDIENCE: text({ default: undefined }),
  GOOGLE_WEBHOOK_SERVICE_ACCOUNT: text({ default: undefined }),
  RUNS_WEBHOOK_ALLOW: addressList({ default: [] }),
  SCHEDULES_MIN_SECONDS: positiveInteger({ default: 60 }),
  SCHEDULES_RUNS_PER_HOUR: positiveInteger({ default: 6_000 }),
  WEBHOOK_RETRY_SECONDS: seconds({ default: [5, 30, 120, 600] }),
  WEBHOOK_RUNS_PER_SENDER: positiveInteger({ default: 60 }),
  WEBHOOK_RUNS_PER_SUBSCRIPTION: positiveInteger({ default: 1_000 }),
  WEBHOOK_ATTACHMENT_MAX_BYTES: positiveInteger({ default: 32 * 1024 * 1024 }),
  WEBHOOK_LOG_KEEP_DAYS: daysFrom(0)({ default: 90 }),
  WEBHOOK_RENEWAL_INTERVAL_SECONDS: positiveInteger({ default: 21_600 }),
  WEBHOOK_RENEWAL_WINDOW_SECONDS: positiveInteger({ default: 43_200 }),
};

export type Config = Readonly<CleanedEnv<typeof settings>>;

/** Address of this API as the mail providers see it. It never comes from a request. */
export function publicBaseUrl({ PUBLIC_BASE_URL, HOST, PORT }: Config): string {
  return PUBLIC_BASE_URL ?? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}`;
}

/** Full name of the Pub/Sub topic that Gmail publishes to; undefined while it is not configured. */
export function pubsubTopic({
  GMAIL_PUBSUB_PROJECT_ID: project,
  GMAIL_PUBSUB_TOPIC: topic,
}: Config): string | undefined {
  return project === undefined || topic === undefined ? undefined : `projects/${project}/topics/${topic}`;
}
