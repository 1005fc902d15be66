import { checkScope } from '../artifact-key.ts';
import type { Context } from '../context.ts';
import { artifactExists, requestInvalid } from '../errors.ts';
import { keyedVersions } from '../keyed-versions.ts';
import { takeRoom } from '../check-room.ts';
import { copyArtifact, countUses, hasOtherArtifact } from '../store/copies.ts';
import type { Handlers } from './handlers.ts';

/** Copies artifacts of a session to another one, all or none. */
export function copyArtifacts(context: Context): Handlers['copyArtifacts'] {
  return async (request, call) => {
    const { db, usage } = context;
    const { sessionId: toSessionId } = checkScope({ ...request, sessionId: request.toSessionId });
    const wanted = keyedVersions(request, request.artifacts);
    const names = wanted.map(({ key }) => JSON.stringify([key, toSessionId]));
    using _room = takeRoom(context, { accountId: request.accountId, names });
    const copied = await db.within(call).transaction(async (tx) => {
      const added: { pk: bigint; version: number; bytes: bigint }[] = [];
      for (const { key, version } of wanted) {
        if (version === undefined) throw requestInvalid('A copy needs the number of a version.');
        const artifact = await copyArtifact(tx, key, { toSessionId, version });
        if (artifact !== undefined) added.push({ ...artifact, version: 0 });
        // Artifacts outlive their sessions, and a copy that failed after this call has left its own.
        else if (await hasOtherArtifact(tx, key, { toSessionId, version })) throw artifactExists(toSessionId, key[4]);
      }
      await countUses(tx, request.accountId, added);
      return added;
    });
    for (const { bytes } of copied) usage.add(request.accountId, { artifacts: 1, bytes: Number(bytes) });
    return {};
  };
}
