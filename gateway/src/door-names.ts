/** Doors that there are, by the names of the setting `DOORS`. */
export const doorNames = ['openai', 'a2a', 'mcp', 'agui', 'ai-sdk'] as const;
export type DoorName = (typeof doorNames)[number];
