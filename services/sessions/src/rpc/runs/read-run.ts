import type { Context } from '../../context.ts';
import { invalid, runNotFound } from '../../errors.ts';
import { bytesOf } from '../../json-bytes.ts';
import { pageBytes, pageLimit } from '../../page-limit.ts';
import { toLedgerRun } from '../../store/ledger/ledger-run.ts';
import { type PlacedRun, selectPlacedRun, selectRunEvents } from '../../store/ledger/run-events.ts';
import type { Handlers } from '../handlers.ts';
import { namedRun } from '../../turns/named-run.ts';

const beyondAnySequence = 2 ** 31 - 1;

/**
 * Returns a run and a page of its events. The run is read first: so when it is over, no event is stored after the page was read. An event that is
 * stored behind that belongs to a later page: it may have ended the run.
 */
export function readRun({ db }: Context): Handlers['readRun'] {
  return async (request) => {
    const name = namedRun(request);
    const { afterSeq } = request;
    const [limit, maxBytes] = [pageLimit(request.limit), pageBytes(request.maxBytes)];
    if (afterSeq < 0) throw invalid('A sequence is not negative.');
    const run = await selectPlacedRun(db, name);
    if (run === undefined) throw runNotFound(name.invocationId);
    const range = { accountId: name.accountId, ...rangeOf(run, afterSeq), limit, maxBytes };
    const isEmpty = run.attempt === 0 || range.after >= range.upTo;
    const events = isEmpty ? [] : await selectRunEvents(db, range);
    const bytes = events.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0);
    return {
      run: toLedgerRun(run),
      events: events.map((event) => ({ ...event, json: bytesOf(event.json) })),
      more: events.length === limit || bytes >= maxBytes,
      lastSeq: run.session_seq ?? 0,
    };
  };
}

function rangeOf(run: PlacedRun, afterSeq: number) {
  return {
    sessionPk: run.session_pk,
    invocationId: run.invocation_id,
    after: Math.max(afterSeq, (run.first_seq ?? 1) - 1),
    upTo: run.end_seq ?? run.session_seq ?? beyondAnySequence,
  };
}
