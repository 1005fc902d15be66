/** Shortest time between two questions of a program. */
export const intervalSeconds = 5;
/** Life of the personal token that a program gets. */
export const tokenLifeSeconds = 90 * 24 * 60 * 60;
