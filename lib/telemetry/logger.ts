import { type DestinationStream, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';
import { redactSecrets } from './redact-secrets.ts';
import { requestContext } from './request-context.ts';

/** A pino logger: `log.info({ key: value }, 'text')`. Errors go under `err`. */
export type Logger = PinoLogger;

export interface LoggerOptions {
  /** pino level: `fatal error warn info debug trace silent`. */
  level: string;
  /** Field `name` of each line, e.g. the service's name. */
  name: string;
  /** Where lines go; standard output when absent. */
  destination?: DestinationStream;
}

/**
 * One JSON object a line, ISO time, with the `requestId` of the request being handled. Values under keys that look like
 * secrets (password, token, authorization, cookie, ...) are replaced, at any depth; pino gives no such hook for the bindings
 * of `child`, so secrets do not belong there.
 */
export function createLogger({ level, name, destination }: LoggerOptions): Logger {
  const options = {
    level,
    name,
    timestamp: stdTimeFunctions.isoTime,
    // The formatter below has made errors plain before serializers see them.
    serializers: { err: (error: unknown) => error },
    formatters: { level: (label: string) => ({ level: label }), log: redactAll },
    mixin: () => {
      const requestId = requestContext.getStore()?.requestId;
      return requestId === undefined ? {} : { requestId };
    },
  };
  return destination ? pino(options, destination) : pino(options);
}

function redactAll(fields: Record<string, unknown>): Record<string, unknown> {
  return redactSecrets(fields) as Record<string, unknown>;
}
