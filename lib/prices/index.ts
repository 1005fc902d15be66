export { dollarsOf, loadPrices, nanosOf, priceList } from './prices.ts';
export type { PricedModel, Prices, TokenCounts } from './prices.ts';
