import type { Database } from '@agentmesh/lib/pg';
import type { Job } from '@agentmesh/lib/service';
import { forgetRunKeys } from '../store/ledger/run-keys.ts';

const pauseMs = 900_000;

/** Deletes old keys of runs. An old key counts as free even before it is deleted. */
export function createForgetRunKeys(db: Database): Job {
  return { pauseMs, failure: 'old keys of runs cannot be deleted, trying again', run: () => forgetRunKeys(db) };
}
