import type { Context } from '../../context.ts';
import { invalid, runNotFound } from '../../errors.ts';
import { optionalText } from '../../json-bytes.ts';
import { toLedgerRun } from '../../store/ledger/ledger-run.ts';
import { selectRun } from '../../store/ledger/run-reads.ts';
import { addressRun } from '../../turns/address-run.ts';
import type { Handlers } from '../handlers.ts';
import { namedRun } from '../../turns/named-run.ts';

/** Adds a message to a run that is not over, and returns the run. */
export function addRunMessage(context: Context): Handlers['addRunMessage'] {
  return async (request) => {
    const name = namedRun(request);
    const message = optionalText(request.messageJson);
    if (message === undefined) throw invalid('A message is needed.');
    const found = await addressRun(context, { ...name, isBound: request.isBound }, message);
    const row = found ? await selectRun(context.db, name) : undefined;
    if (row === undefined) throw runNotFound(name.invocationId);
    return { run: toLedgerRun(row) };
  };
}
