import type { ListEventsRequest } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import { invalid, sessionNotFound } from '../errors.ts';
import { bytesOf } from '../json-bytes.ts';
import { maxPageBytes, pageLimit } from '../page-limit.ts';
import { canExist, checkSessionKey } from '../session-key.ts';
import { selectEventPage } from '../store/events/event-pages.ts';
import type { Handlers } from './handlers.ts';

const beyondAnySequence = 2 ** 31 - 1;

/** Returns one page of a session's events, with their sequences. */
export function listEvents({ db }: Context): Handlers['listEvents'] {
  return async (request) => {
    const { session, newestFirst } = request;
    const limit = pageLimit(request.limit);
    const after = placeOf(request);
    if (!canExist(session)) throw sessionNotFound();
    const page = await selectEventPage(db, checkSessionKey(session), {
      after,
      limit,
      maxBytes: maxPageBytes,
      newestFirst,
    });
    if (page === undefined) throw sessionNotFound();
    const { events, more, lastSeq, sessionPk } = page;
    return { events: events.map((event) => ({ ...event, json: bytesOf(event.json) })), more, lastSeq, sessionPk };
  };
}

function placeOf({ afterSeq, newestFirst }: ListEventsRequest): number {
  if (afterSeq < 0) throw invalid('A sequence is not negative.');
  return newestFirst && afterSeq === 0 ? beyondAnySequence : afterSeq;
}
