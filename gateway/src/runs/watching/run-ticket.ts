import { Type } from 'typebox';
import { type App, type Context, unary } from '../../context.ts';
import { ticketedRun, ticketSeconds } from '../../edge/authentication/run-tickets.ts';
import { namedRun, RunPath, RunPlace } from '../ledger/run-paths.ts';
import { readsOfRun } from '../run-family.ts';

const RunTicket = Type.Object(
  {
    ticket: Type.String({ description: 'For the query of `watchRun`.' }),
    expireTime: Type.Number({ description: 'In Unix seconds. A stream that is open then goes on.' }),
  },
  { title: 'RunTicket' },
);

/** Tickets for pages whose EventSource can send no header. */
export function runTicketRoute(app: App, { sessions, authentication, runTickets }: Context): void {
  app.post(
    '/runs/:invocation_id/events/ticket',
    readsOfRun(authentication, {
      operationId: 'createRunTicket',
      summary: 'Get a ticket for the events of a run',
      description:
        `Makes a secret that opens the event stream of this run and nothing else, for ${ticketSeconds / 60} minutes and as long as the sign-in or the personal token stands. ` +
        'A browser’s EventSource, which can send no header, sends it in the query.',
      params: RunPath,
      querystring: RunPlace,
      response: { 201: RunTicket },
      refusals: [400, 404, 413],
    }),
    async (request, reply) => {
      await sessions.getRun(namedRun(request), unary);
      reply.code(201);
      return runTickets.issue(request.identity, ticketedRun(request.params.invocation_id, request.query));
    },
  );
}
