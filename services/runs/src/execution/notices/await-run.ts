import { insertAwaitedRun } from '../../store/awaited-runs.ts';
import type { Noticing } from './tell-watchers.ts';

const longestTitle = 200;

export interface RunToAwait {
  readonly accountId: string;
  readonly invocationId: string;
  readonly title: string;
}

/** Makes the end of a run a notice. From then on the notice comes, also after a crash. */
export async function awaitRun({ db, awaited }: Pick<Noticing, 'awaited' | 'db'>, run: RunToAwait): Promise<void> {
  const { accountId, invocationId, title } = run;
  awaited.add(`${accountId}/${invocationId}`);
  const printable = title.toWellFormed().replaceAll('\0', '');
  await insertAwaitedRun(db, { accountId, invocationId, title: printable.slice(0, longestTitle).toWellFormed() });
}
