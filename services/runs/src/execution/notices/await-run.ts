import type { MeshError } from '@agentmesh/lib/rpc';
import { awaitedRunsTooMany } from '../../errors.ts';
import { type AwaitedRun, hasRoomToAwait, insertAwaitedRun } from '../../store/awaited-runs.ts';
import type { Noticing } from './tell-watchers.ts';

const longestTitle = 200;

export interface RunToAwait extends AwaitedRun {
  readonly title: string;
}

interface Awaiting extends Pick<Noticing, 'awaited' | 'db'> {
  /** Most runs of an account whose ends become notices. */
  readonly config: { readonly maxAwaited: number };
}

/** The error resource_exhausted `awaited_runs_too_many` when the ends of no more runs of the account become notices, else undefined. */
export async function refusalToAwait(
  { db, config }: Omit<Awaiting, 'awaited'>,
  accountId: string,
): Promise<MeshError | undefined> {
  const most = config.maxAwaited;
  return (await hasRoomToAwait(db, { accountId, most })) ? undefined : awaitedRunsTooMany(most);
}

/** Throws `refusalToAwait`. For calls before the run is stored. */
export async function checkAwaited(context: Omit<Awaiting, 'awaited'>, accountId: string): Promise<void> {
  const refusal = await refusalToAwait(context, accountId);
  if (refusal !== undefined) throw refusal;
}

/**
 * Makes the end of a run a notice. From then on the notice comes, also after a crash. Of runs that were accepted at the same moment only as many as the
 * account may await get one.
 */
export async function awaitRun({ db, awaited, config }: Awaiting, run: RunToAwait): Promise<void> {
  const { title: asked, ...name } = run;
  awaited.add(name);
  const printable = asked.toWellFormed().replaceAll('\0', '');
  const title = printable.slice(0, longestTitle).toWellFormed();
  await insertAwaitedRun(db, { ...name, title, most: config.maxAwaited });
}
