import type { Queryable } from '@agentmesh/lib/pg';
import type { Context } from '../../context.ts';
import { runNotFound } from '../../errors.ts';
import { toLedgerRun } from '../../store/ledger/ledger-run.ts';
import { selectLastEventsOfRun, selectPlacedRun } from '../../store/ledger/run-events.ts';
import { type PlacedRunName, selectRun } from '../../store/ledger/run-reads.ts';
import { outputOf } from '../../turns/run-output.ts';
import type { Handlers } from '../handlers.ts';
import { namedRun } from '../../turns/named-run.ts';

/** Returns one run of the ledger. */
export function getRun({ db }: Context): Handlers['getRun'] {
  return async (request) => {
    const name = namedRun(request);
    if (request.withOutput) return { run: await runWithOutput(db, name) };
    const row = await selectRun(db, { ...name, sessionPk: request.sessionPk });
    if (row === undefined) throw runNotFound(name.invocationId);
    return { run: toLedgerRun(row) };
  };
}

/** Events from the end of a run in which its answer is looked for. */
const [mostEvents, mostBytes] = [16, 4 * 1024 * 1024];

async function runWithOutput(db: Queryable, name: PlacedRunName) {
  const row = await selectPlacedRun(db, name);
  if (row === undefined) throw runNotFound(name.invocationId);
  const run = toLedgerRun(row);
  if (row.ended === null || row.attempt === 0) return run;
  const range = { after: (row.first_seq ?? 1) - 1, upTo: row.end_seq ?? 2 ** 31 - 1 };
  const of = { accountId: name.accountId, sessionPk: row.session_pk, invocationId: row.invocation_id };
  const events = await selectLastEventsOfRun(db, { ...of, ...range, limit: mostEvents, maxBytes: mostBytes });
  return { ...run, outputJson: outputOf(events) };
}
