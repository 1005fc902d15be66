import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type NatsUser, natsUsers } from '@agentmesh/lib/bus';

/** Where the files go; the first argument, so that a test can compare them. */
const folder = process.argv[2] ?? fileURLToPath(new URL('../deploy/nats/', import.meta.url));
const note = 'Rendered by `npm run generate` from the declarations of the topics in proto/. Do not edit.';

/** An empty list would allow everything. */
const listOf = (subjects: readonly string[]) =>
  subjects.length === 0 ? '{ deny: [">"] }' : `[${subjects.map((subject) => JSON.stringify(subject)).join(', ')}]`;

const subscriptionsOf = ({ subscribe, denied = [] }: NatsUser['permissions']) =>
  denied.length === 0 ? listOf(subscribe) : `{ allow: ${listOf(subscribe)}, deny: ${listOf(denied)} }`;

/** A configuration of nats-server. */
function configurationOf(users: readonly NatsUser[]): string {
  const entries = users.map(
    ({ user, variable, permissions }) => `      {
        user: ${user}, password: $${variable}
        permissions: {
          publish: ${listOf(permissions.publish)}
          subscribe: ${subscriptionsOf(permissions)}
        }
      }`,
  );
  return `# ${note}
# Every password is an environment variable of the server.
# A message is on the disk before it is acknowledged: its row in the outbox is deleted then.
jetstream: { sync_interval: always }
accounts: {
  MESH: {
    jetstream: enabled
    users: [
${entries.join('\n')}
    ]
  }
}
`;
}

/** Values of NATS's own Helm chart. */
function chartValuesOf(users: readonly NatsUser[]): string {
  const under = `\n${' '.repeat(16)}`;
  const quoted = (subjects: readonly string[], indent = under) =>
    subjects.map((it) => `${indent}- ${JSON.stringify(it)}`).join('');
  const subscriptions = ({ subscribe, denied = [] }: NatsUser['permissions']) =>
    denied.length === 0
      ? quoted(subscribe)
      : `${under}allow:${quoted(subscribe, `${under}  `)}${under}deny:${quoted(denied, `${under}  `)}`;
  const entries = users.map(
    ({ user, variable, permissions }) => `          - user: ${user}
            password: << $${variable} >>
            permissions:
              publish:${quoted(permissions.publish) || ' { deny: [">"] }'}
              subscribe:${subscriptions(permissions)}`,
  );
  const variables = users.map(
    ({ variable }) => `    ${variable}:
      valueFrom: { secretKeyRef: { name: agent-mesh, key: ${variable} } }`,
  );
  return `# ${note}
# For the chart https://nats-io.github.io/k8s: helm install nats nats/nats -f deploy/nats/chart-values.yaml
# The Secret agent-mesh holds a password for each user.
config:
  cluster: { enabled: true, replicas: 3 }
  jetstream:
    enabled: true
    fileStore: { pvc: { size: 20Gi } }
    # A message is on the disk before it is acknowledged: its row in the outbox is deleted then.
    merge: { sync_interval: always }
  merge:
    accounts:
      MESH:
        jetstream: enabled
        users:
${entries.join('\n')}
container:
  env:
${variables.join('\n')}
`;
}

/** Names of the services, from main.ts. */
function servicesOfMain(): string[] {
  const main = readFileSync(new URL('../main.ts', import.meta.url), 'utf8');
  return [...main.matchAll(/^ {2}(\w+): async \(\) => \(await import/gm)].map(([, name = '']) => name);
}

const users = natsUsers(servicesOfMain());
writeFileSync(join(folder, 'server.conf'), configurationOf(users));
writeFileSync(join(folder, 'chart-values.yaml'), chartValuesOf(users));
