import type { BusDriver } from './bus-driver.ts';

/** The driver under test and its server. */
export interface DriverBench extends AsyncDisposable {
  /** Opens a driver like another process would. Every driver receives the hints that one of them publishes. */
  open(): Promise<BusDriver & AsyncDisposable>;
  /** Cuts every connection that the drivers hold now, as a failing network would. */
  cutConnections(): Promise<void>;
}

export interface Drivers {
  bench: DriverBench;
  one: BusDriver;
  /** A driver opened like another process would. */
  other: BusDriver;
}
