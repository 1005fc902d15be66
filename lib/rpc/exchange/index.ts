export { type ExchangeCall, type OutgoingCall, refusedPause } from './exchange-call.ts';
export { EXCHANGE_PATH, ExchangeClient } from './exchange-client.ts';
export { ExchangeServer, type ExchangeServerOptions } from './exchange-server.ts';
