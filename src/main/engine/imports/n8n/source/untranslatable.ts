/** Something of a node that no step does with the same meaning: the node is kept as it was, and fails when it runs. */
export class Untranslatable extends Error {}

/** @param why reads on from the node's name: `sends a file` */
export function refuse(why: string): never {
  throw new Untranslatable(why)
}
