/** Every other service that stores data of accounts. Each erases its data when it receives AccountDeleted, and reports how much it was. */
export const erasingServices = ['artifacts', 'keys', 'memory', 'runs', 'sessions', 'webhooks'] as const;
