/** The rendered files by name. */
export declare function renderNats(services: readonly string[]): Record<string, string>;
/** Names of the services, from main.ts. */
export declare function servicesOfMain(): string[];
