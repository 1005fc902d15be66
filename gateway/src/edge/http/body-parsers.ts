import type { FastifyInstance, FastifyRequest } from 'fastify';
import { decode, parseJsonBody } from '../json/json-text.ts';
import { FormFields } from '../validation/index.ts';

type Done = (error: Error | null, body?: unknown) => void;

/** Parses JSON (also without a content type) and urlencoded forms. Every other body stays text. */
export function addBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, json);
  app.addContentTypeParser(/^application\/[^;\s]*\+json/, { parseAs: 'buffer' }, json);
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer' }, form);
  app.addContentTypeParser('*', { parseAs: 'buffer' }, other);
}

/** Replaces an invalid content type by `text/plain`. Fastify would refuse the request before any route sees it. */
export function normaliseContentType(headers: FastifyRequest['raw']['headers']): void {
  const type = headers['content-type'];
  if (type !== undefined && !/^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/.test(type)) {
    headers['content-type'] = 'text/plain';
  }
}

function json(request: FastifyRequest, body: string | Buffer, done: Done): void {
  read(parseJsonBody, { request, body, done });
}

function form(request: FastifyRequest, body: string | Buffer, done: Done): void {
  read((bytes) => (bytes.length === 0 ? null : new FormFields(decode(bytes))), { request, body, done });
}

function other(request: FastifyRequest, body: string | Buffer, done: Done): void {
  const untyped = request.headers['content-type'] === undefined;
  read(untyped ? parseJsonBody : (bytes) => (bytes.length === 0 ? null : decode(bytes)), { request, body, done });
}

interface Sent {
  readonly request: FastifyRequest;
  readonly body: string | Buffer;
  readonly done: Done;
}

/** Leaves the body unparsed on routes that take none. */
function read(parse: (body: Buffer) => unknown, { request, body, done }: Sent): void {
  if (request.routeOptions.schema?.body === undefined) return done(null);
  let value: unknown;
  try {
    value = parse(typeof body === 'string' ? Buffer.from(body) : body);
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)));
    return;
  }
  done(null, value);
}
