/** Part of a node has no equivalent: the node is kept as it was, and fails when it runs. */
export class Untranslatable extends Error {}

/** @param why a sentence without its subject, the node's name: `sends a file` */
export function refuse(why: string): never {
  throw new Untranslatable(why)
}
