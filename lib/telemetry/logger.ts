import { type DestinationStream, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';
import { redactSecrets } from './redact-secrets.ts';
import { requestContext } from './request-context.ts';
import { standardOutput } from './standard-output.ts';

/** A pino logger: `log.info({ key: value }, 'text')`. Errors go under `err`. */
export type Logger = PinoLogger;

/** Between `debug` and `info`: a line for each request and each run. */
const customLevels = { access: 25 };

export interface LoggerOptions {
  /** pino level: `fatal error warn info access debug trace silent`. */
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
export function createLogger({ level, name, destination = standardOutput() }: LoggerOptions): Logger {
  const options = {
    level,
    customLevels,
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
  // The type of a logger with a level of its own does not fit where any logger does.
  const log: unknown = pino(options, destination);
  return log as Logger;
}

/** Writes a line of the level `access`. A logger that was made elsewhere, without this level, writes none. */
export function logAccess(log: Logger, fields: object, text: string): void {
  (log as { access?: Logger['info'] }).access?.(fields, text);
}

function redactAll(fields: Record<string, unknown>): Record<string, unknown> {
  return redactSecrets(fields) as Record<string, unknown>;
}
