/** A listener of the process, with the names of the settings that choose its address. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** For example `OPS_PORT`. */
  readonly portSetting: string;
}

/** The process cannot listen on a port. The message is one line and names the setting of the port. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly portSetting: string;
  /** True when the port is in use; false for other reasons, for example a port below 1024 without the right to take it. */
  readonly isPortInUse: boolean;

  constructor({ host, port, portSetting }: ListenAddress, cause: Error) {
    const isPortInUse = failureCode(cause) === 'EADDRINUSE';
    const at = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    super(
      isPortInUse
        ? `${portSetting}: ${at} is already in use. Stop the program that listens there, or set another ${portSetting}.`
        : `${portSetting}: cannot listen on ${at}: ${cause.message}`,
      { cause },
    );
    this.portSetting = portSetting;
    this.isPortInUse = isPortInUse;
  }
}

/** Calls `listen`, which opens a listener on `address`. Throws ListenError when that fails. */
export async function listenOn<T>(address: ListenAddress, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen();
  } catch (error) {
    throw error instanceof Error ? new ListenError(address, error) : error;
  }
}

/** grpc-js has the system's error code only in its message: "… errors: [listen EADDRINUSE: address already in use …]". */
function failureCode(error: Error): unknown {
  if ('code' in error && typeof error.code === 'string') return error.code;
  return /\blisten (E[A-Z]+)/.exec(error.message)?.[1];
}
