import type { Context } from '../context.ts';
import { addSession } from './add-session.ts';
import { deleteEntries } from './delete-entries.ts';
import { deleteEntry } from './delete-entry.ts';
import type { Handlers } from './handlers.ts';
import { listEntries } from './list-entries.ts';
import { listMemories } from './list-memories.ts';
import { searchMemory } from './search-memory.ts';

/** The table of contents: every RPC of the service. */
export function createHandlers(context: Context): Handlers {
  return {
    addSession: addSession(context),
    searchMemory: searchMemory(context),
    listEntries: listEntries(context),
    listMemories: listMemories(context),
    deleteEntry: deleteEntry(context),
    deleteEntries: deleteEntries(context),
  };
}
