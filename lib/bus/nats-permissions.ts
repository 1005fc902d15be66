import { topics } from '@agentmesh/proto/topics';
import { namesOf, streamOf, subjectOf } from './names/index.ts';
import { isConfidential, isKept } from './topic.ts';
import { topicsOf } from './topics-of.ts';

/** Subjects that a user of NATS may publish and subscribe to. */
interface NatsPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** Subjects of `subscribe` that are not delivered all the same. */
  readonly denied?: readonly string[];
}

/**
 * The permissions of a service, from the declarations of the topics: it publishes its own topics and makes their stream, subscribes to the topics that name it as a
 * reader, and takes the messages of its own durable consumers.
 */
function permissionsOf(service: string): NatsPermissions {
  const { published, read, consumed } = topicsOf(service);
  const hasStream = published.some(isKept);
  return {
    publish: [
      ...published.map(subjectOf),
      ...(hasStream ? streamCommands(service) : []),
      ...consumed.flatMap((topic) => consumerCommands(subjectOf(topic), service)),
    ],
    subscribe: [...read.map(subjectOf), `_INBOX.${service}.>`],
  };
}

/** The permissions of a process that runs the whole mesh. */
const wholeMesh: NatsPermissions = {
  publish: ['agentmesh.>', '$JS.API.>', '$JS.ACK.>'],
  subscribe: ['agentmesh.>', '_INBOX.mesh.>'],
};

/** The permissions of other programs that read the messages of all services, without what users and models say. */
const observer: NatsPermissions = {
  publish: [],
  subscribe: ['agentmesh.*.v1.>', '_INBOX.observer.>'],
  denied: topics.filter(isConfidential).map(subjectOf),
};

export interface NatsUser {
  readonly user: string;
  /** Environment variable of the server that holds the user's password. */
  readonly variable: string;
  readonly permissions: NatsPermissions;
}

/** The users of NATS: one for each service, `mesh` for a process with all services, and `observer` for other programs. */
export function natsUsers(services: readonly string[]): NatsUser[] {
  const each = services.map((user) => ({ user, permissions: permissionsOf(user) }));
  const users = [...each, { user: 'mesh', permissions: wholeMesh }, { user: 'observer', permissions: observer }];
  return users.map((it) => ({ ...it, variable: `${it.user.toUpperCase()}_NATS_PASSWORD` }));
}

function streamCommands(service: string): string[] {
  const stream = streamOf(service);
  return [
    ...['INFO', 'CREATE', 'UPDATE'].map((command) => `$JS.API.STREAM.${command}.${stream}`),
    ...['CREATE', 'DURABLE.CREATE'].map((command) => `$JS.API.CONSUMER.${command}.${stream}.>`),
    `$JS.API.CONSUMER.INFO.${stream}.>`,
    `$JS.API.CONSUMER.LIST.${stream}`,
  ];
}

function consumerCommands(subject: string, durable: string): string[] {
  const { stream, consumer, deadConsumer, dead, again } = namesOf({ subject, durable });
  return [
    ...[consumer, deadConsumer].flatMap((name) => [
      `$JS.API.CONSUMER.INFO.${stream}.${name}`,
      `$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`,
      `$JS.ACK.${stream}.${name}.>`,
    ]),
    `$JS.API.CONSUMER.UNPIN.${stream}.${consumer}`,
    dead,
    again,
  ];
}
