import type * as Mcp from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import type { NamedApp } from './tools.ts';

/** A request through this door. */
export interface DoorCall {
  readonly context: Context;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Apps that are tools at the address of the request. */
  readonly apps: readonly NamedApp[];
  /** `modern`: the revision 2026-07-28, whose requests stand alone. */
  readonly era: 'modern' | 'legacy';
  /** Aborts when the credential of the request is revoked. */
  readonly revoked: AbortSignal;
  /** The library, which is loaded with the first call. */
  readonly mcp: typeof Mcp;
}
