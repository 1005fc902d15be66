export { addSavedKeys } from './saved-keys.ts';
