export { endUserOf } from './end-user.ts';
export { createTeller, type Piece, type Teller } from './pieces.ts';
export { type DoorMessage, type DoorRun, startRun } from './start-run.ts';
export { type RunPlace, type Told, watchRun } from './watch-run.ts';
