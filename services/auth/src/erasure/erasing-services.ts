/** Every other service that holds data of accounts. Each erases what it has when it hears of a deletion, and says so. */
export const erasingServices = ['artifacts', 'memory', 'sessions'] as const;
