import { type Logger as AdkLogger, setLogger } from '@google/adk/core';
import type { Logger } from '@agentmesh/lib/telemetry';

/** Keeps conversations out of traces, and sends ADK's log lines, which may quote them, to our log at `debug`. */
export function quietAdk(log: Logger): void {
  process.env.ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS = 'false';
  const debug = (...words: unknown[]): void => log.debug(words.map(String).join(' '));
  const nothing = (): void => undefined;
  const logger: AdkLogger = {
    setLogLevel: nothing,
    log: nothing,
    debug: nothing,
    info: nothing,
    warn: debug,
    error: debug,
  };
  setLogger(logger);
}
