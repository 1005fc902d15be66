import type { VendorName } from './model-name.ts';

/** A provider's model, as the provider names it. */
export interface VendorModel {
  readonly provider: VendorName;
  readonly model: string;
}
