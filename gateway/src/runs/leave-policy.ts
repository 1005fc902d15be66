import { LeavePolicy } from '@agentmesh/proto/runs/v1';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Context } from '../context.ts';
import type { RunAgentRequest } from './run-record.ts';

/** Header of clients that cannot change the bodies they send. */
export const OnDisconnect = {
  'x-on-disconnect': Type.Optional(
    Type.Enum(['continue', 'cancel'], {
      description: 'Whether the run goes on when the client leaves, if the body does not say it.',
    }),
  ),
};

const policies = { continue: LeavePolicy.CONTINUE, cancel: LeavePolicy.CANCEL } as const;

type RunRequest = FastifyRequest<{
  Body: RunAgentRequest;
  Headers: { 'x-on-disconnect'?: keyof typeof policies };
}>;

/**
 * Whether the run goes on when the client leaves: by the body, else by the header. Without both, the run is cancelled for the web UI, because its
 * Stop button only closes the stream, and the app decides for others.
 */
export function leavePolicyOf({ browser }: Context, request: RunRequest): LeavePolicy {
  const { body, headers } = request;
  const named = body.onDisconnect ?? headers['x-on-disconnect'];
  if (named !== undefined) return policies[named];
  const isWebUi = headers.authorization === undefined && browser?.isPresent(request) === true;
  return isWebUi ? LeavePolicy.CANCEL : LeavePolicy.UNSPECIFIED;
}
