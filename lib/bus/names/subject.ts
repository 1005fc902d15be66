import type { DescMessage } from '@bufbuild/protobuf';

/** Subjects by the names of types, of which there are few: each run publishes. */
const subjects = new Map<string, string>();

/**
 * The bus subject of a message type: its protobuf package and its name in snake case.
 * `agentmesh.auth.v1.AccountDeleted` is published on `agentmesh.auth.v1.account_deleted`.
 */
export function subjectOf({ typeName }: Pick<DescMessage, 'typeName'>): string {
  let subject = subjects.get(typeName);
  if (subject === undefined) {
    subject = makeSubject(typeName);
    subjects.set(typeName, subject);
  }
  return subject;
}

function makeSubject(typeName: string): string {
  const end = typeName.lastIndexOf('.') + 1;
  const name = typeName.slice(end).replaceAll(/(?<!^)[A-Z]/g, '_$&');
  return typeName.slice(0, end) + name.toLowerCase();
}

/** Name of the service that publishes on a subject: `auth` for `agentmesh.auth.v1.account_deleted`. */
export function publisherOf(subject: string): string {
  return subject.split('.')[1] ?? '';
}
