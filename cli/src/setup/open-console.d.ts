/** Opens the console in the browser when the server at this address is ready. Gives up when `signal` aborts. */
export declare function openConsole(url: string, signal: AbortSignal): Promise<void>;
