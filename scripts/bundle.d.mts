/** Names the state of everything that is bundled. */
export function stampOf(root: string): string;

/** The folder of the bundle of the present sources; undefined when there is none and none may be made. */
export function bundle(options?: { readonly name?: string; readonly mayBuild?: boolean }): Promise<string | undefined>;
