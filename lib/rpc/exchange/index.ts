export type { ExchangeCall } from './exchange-call.ts';
export { EXCHANGE_PATH, ExchangeClient } from './exchange-client.ts';
export { ExchangeServer } from './exchange-server.ts';
