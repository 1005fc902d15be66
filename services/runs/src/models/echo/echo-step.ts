/** One step of an echo message: text to say, or something to do. */
export type EchoStep =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly args: Record<string, unknown>; readonly report: boolean }
  | { readonly kind: 'fail'; readonly message: string }
  | { readonly kind: 'wait'; readonly ms: number };
