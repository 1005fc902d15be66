export { AnswerWatch } from './answer-watch.ts';
export { createPool, type WatchedPoolClient } from './create-pool.ts';
export { idleInTransactionMs, lengthen, longStatementMs, usualStatementMs } from './limits.ts';
export { limitSettings, timeLimits, withSessionSettings } from './session-settings.ts';
export { WatchedClient, type WatchedConfig } from './watched-client.ts';
