/** What a vendor says of a request that it refuses. */
export declare class Refusal extends Error {
  readonly status: number;
  constructor(message: string, status?: number);
}
/** Refuses a request unless it is right. */
export declare function demand(right: boolean, message: string, status?: number): asserts right;
export type Fields = Record<string, unknown>;
export declare function isObject(value: unknown): value is Fields;
/** A JSON object, or a refusal with this message. */
export declare function parseObject(text: string, message: string): Fields;
/** Refuses keys that are not among these, which stand in one text. */
export declare function demandKeys(value: Fields, known: string, message: (key: string) => string): void;
