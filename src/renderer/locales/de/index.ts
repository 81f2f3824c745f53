import lib from './lib.json'

/** The German of the page by its English sentences, one file for each folder that shows them. */
export const german: Readonly<Record<string, string>> = { ...lib }
