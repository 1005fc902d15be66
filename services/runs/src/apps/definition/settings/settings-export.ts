/** Name of the export of a module whose keys are those that `root_agent.yaml` has for the runs of its app. */
export const settingsExport = 'appSettings';
