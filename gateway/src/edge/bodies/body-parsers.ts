import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type JsonSize, measureJson } from '../json/json-bounds.ts';
import { JsonCounter, mostValues } from '../json/json-counter.ts';
import { decode, parseJsonBody } from '../json/json-text.ts';
import { onceClosed } from '../streams/once-closed.ts';
import { FormFields } from '../validation/index.ts';
import { openValues } from './body-limits.ts';
import { acceptRequest, type BodyBudgets, receiveBody } from './receive-body.ts';

type Done = (error: Error | null, body?: unknown) => void;
type Parse = (body: Buffer, size?: JsonSize) => unknown;

/** Parses JSON (also without a content type) and urlencoded forms. Every other body stays text. */
export function addBodyParsers(app: FastifyInstance, budgets: BodyBudgets): void {
  const parser = (parseOf: (request: FastifyRequest) => Parse) => {
    return (request: FastifyRequest, payload: Readable, done: Done): void => {
      const parse = parseOf(request);
      receiveBody(request, {
        payload,
        budgets,
        counter: parse === parseJsonBody ? new JsonCounter() : undefined,
        done: (error, body, size) => {
          if (body === undefined) return done(error);
          parseBody(request, { parse, body, size, done });
        },
      });
    };
  };
  app.decorateRequest('isAccepted', false);
  app.decorateRequest('releaseBody', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.raw.headers;
    if (length !== undefined || encoding !== undefined) onceClosed(reply.raw, () => request.releaseBody?.());
    done();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    parser(() => parseJsonBody),
  );
  app.addContentTypeParser(
    /^application\/[^;\s]*\+json/,
    parser(() => parseJsonBody),
  );
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    parser(() => parseForm),
  );
  app.addContentTypeParser(
    '*',
    parser(({ headers }) => (headers['content-type'] === undefined ? parseJsonBody : parseText)),
  );
}

const parseText: Parse = (body) => (body.length === 0 ? null : decode(body));
const parseForm: Parse = (body) => (body.length === 0 ? null : new FormFields(decode(body)));

interface Sent {
  readonly parse: Parse;
  readonly body: Buffer;
  /** Undefined: not measured. */
  readonly size?: JsonSize | undefined;
  readonly done: Done;
}

/**
 * Parses JSON of many values only after the caller was authenticated, and not on routes without authentication. Leaves the body
 * unparsed on routes that take none.
 */
function parseBody(request: FastifyRequest, sent: Sent): void {
  const { parse, body, done, size: known } = sent;
  if (request.routeOptions.schema?.body === undefined) return done(null);
  if (parse !== parseJsonBody || body.length <= openValues || known !== undefined) return settle(sent, known);
  const isOpen = request.routeOptions.config.authenticate === undefined;
  const size = measureJson(body, isOpen ? openValues : mostValues);
  if (isOpen || size.values <= openValues) return settle(sent, size);
  acceptRequest(request, (error) => (error === undefined ? settle(sent, size) : done(error)));
}

function settle({ parse, body, done }: Sent, size?: JsonSize): void {
  let value: unknown;
  try {
    value = parse(body, size);
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)));
    return;
  }
  done(null, value);
}
