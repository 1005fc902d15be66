/** A change in an account: a kind and an id, and for runs and waits the session. Its words are read from the routes of the kind. */
export interface Change {
  readonly kind: ChangeKind;
  readonly id: string;
  readonly op: 'added' | 'changed' | 'removed';
  readonly app_name?: string | undefined;
  readonly user_id?: string | undefined;
  readonly session_id?: string | undefined;
}

export const changeKinds = ['run', 'wait', 'notification', 'agent', 'schedule'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** Ids of what an account has of one kind, each with a text that differs when the thing has changed. */
export type Versions = ReadonlyMap<string, string>;

/** Differences between two looks at one kind. */
export function changesBetween(kind: ChangeKind, before: Versions, after: Versions): Change[] {
  const removed = [...before.keys()].filter((id) => !after.has(id));
  const others = [...after].filter(([id, version]) => before.get(id) !== version);
  return [
    ...removed.map((id): Change => ({ kind, id, op: 'removed' })),
    ...others.map(([id]): Change => ({ kind, id, op: before.has(id) ? 'changed' : 'added' })),
  ];
}
