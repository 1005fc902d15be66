import { type Call, insist, Refused, type Reply, type Route } from '../upstream/index.ts';
import { folderOf, inMailbox, knowOnly, mailboxOf, preferencesOf } from './graph-call.ts';
import { graphError, invalidRequest } from './graph-error.ts';
import { printMessage } from './messages.ts';
import type { Change, Mailbox, World } from './world.ts';

/** Position in the changes of a folder, from which a delta link goes on. */
interface Cursor {
  readonly folderId: string;
  /** Number of the last change that was answered. */
  readonly after: number;
  /** Number of the last change of this round of pages; 0 for a new round. */
  readonly until: number;
  readonly since: number;
  readonly changeType: string | undefined;
  /** The first round names the mails that the folder has, whatever kind of change is asked for. */
  readonly isFirst: boolean;
  readonly select: string | undefined;
}

/** Routes of the delta query of a folder, and of the folder itself. */
export function deltaRoutes(world: World, origin: () => string): Route[] {
  const folder = "/v1\\.0/me/mailFolders(?:\\('([^']+)'\\)|/([^/]+))";
  const of = (call: Call, name: string, serve: (mailbox: Mailbox, folderId: string) => Reply): Promise<Reply> => {
    const mailbox = mailboxOf(world, call, 'Mail.Read');
    return inMailbox(mailbox, () => serve(mailbox, folderOf(mailbox, name)));
  };
  return [
    {
      method: 'GET',
      path: new RegExp(`^${folder}/messages/delta$`),
      serve: (call, quoted = '', plain = '') =>
        of(call, quoted || plain, (mailbox, folderId) => delta({ world, origin: origin(), mailbox, folderId, call })),
    },
    {
      method: 'GET',
      path: new RegExp(`^${folder}$`),
      serve: (call, quoted = '', plain = '') =>
        of(call, quoted || plain, (mailbox, id) => {
          const [displayName] = Array.from(mailbox.folders).find(([, known]) => known === id) ?? [];
          return { status: 200, body: { id, displayName } };
        }),
    },
  ];
}

interface DeltaCall {
  readonly world: World;
  readonly origin: string;
  readonly mailbox: Mailbox;
  readonly folderId: string;
  readonly call: Call;
}

function delta({ world, origin, mailbox, folderId, call }: DeltaCall): Reply {
  const cursor = cursorOf(call, folderId);
  insist(cursor.folderId === folderId, () => invalidRequest('The token belongs to another folder.'));
  const isDead = cursor.after > 0 && cursor.after < world.oldestDelta;
  insist(!isDead, () => graphError(410, 'SyncStateNotFound', 'The sync state generation is not found.'));
  const until = cursor.until || (mailbox.changes.at(-1)?.number ?? cursor.after);
  const due = mailbox.changes.filter(
    (change) => change.number > cursor.after && change.number <= until && isAsked(change, cursor),
  );
  const { pageSize } = preferencesOf(call);
  const page = due.slice(0, pageSize);
  const isLast = page.length === due.length;
  const next: Cursor = {
    ...cursor,
    isFirst: cursor.isFirst && !isLast,
    until: isLast ? 0 : until,
    after: isLast ? until : (page.at(-1)?.number ?? until),
  };
  const token = Buffer.from(JSON.stringify(next)).toString('base64url');
  const kind = isLast ? 'deltatoken' : 'skiptoken';
  const link = `${origin}/v1.0/me/mailFolders('${folderId}')/messages/delta?$${kind}=${token}`;
  const selected: Call = {
    ...call,
    query: new URLSearchParams(cursor.select === undefined ? {} : { $select: cursor.select }),
  };
  const value = page.map(({ mail, kind: change }) =>
    change === 'deleted'
      ? { id: preferencesOf(call).isImmutable ? mail.immutableId : mail.defaultId, '@removed': { reason: 'deleted' } }
      : printMessage(mail, selected),
  );
  return { status: 200, body: { value, [isLast ? '@odata.deltaLink' : '@odata.nextLink']: link } };
}

function isAsked({ folderId, kind, mail }: Change, cursor: Cursor): boolean {
  if (folderId !== cursor.folderId || mail.receivedAt.getTime() < cursor.since) return false;
  const asked = cursor.isFirst ? 'created' : cursor.changeType;
  return asked === undefined || asked === kind;
}

function cursorOf({ query }: Call, folderId: string): Cursor {
  const token = query.get('$deltatoken') ?? query.get('$skiptoken');
  if (token !== null) return readToken(token);
  knowOnly(query, ['changeType', '$select', '$filter']);
  const filter = query.get('$filter');
  const time = filter === null ? undefined : /^receivedDateTime g[et] (\S+)$/i.exec(filter)?.[1];
  insist(filter === null || time !== undefined, () =>
    graphError(400, 'ErrorInvalidRestriction', `The filter is not supported: ${filter}`),
  );
  const since = time === undefined ? 0 : Date.parse(time);
  insist(!Number.isNaN(since), () => invalidRequest('The filter has no time.'));
  const changeType = query.get('changeType') ?? undefined;
  return {
    folderId,
    after: 0,
    until: 0,
    since,
    changeType,
    isFirst: changeType !== undefined,
    select: query.get('$select') ?? undefined,
  };
}

function readToken(token: string): Cursor {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString()) as Cursor;
  } catch {
    throw new Refused(graphError(400, 'syncStateNotFound', 'The sync state is not found.'));
  }
}
