/** The class of several servers of one Worker. */
import type { EdgewayObjectClass } from '../src/ports/object-class.ts'
import { audienceDigest, isServerKind, type Kind } from '../src/ports/object-kinds.ts'
import type { PartSource, ServerObjects } from '../src/ports/objects.ts'
import { HostedObject } from './hosted-object.ts'
import { createObjectsClass, serversOf } from './objects-class.ts'

/** @throws {TypeError} for two servers with one audience, or with different options for objects that they share */
export function createClassOf(classes: readonly EdgewayObjectClass[]): EdgewayObjectClass {
  const servers = classes.flatMap(serversOf)
  checkServers(servers)
  return createObjectsClass(servers, HostedObject)
}

function checkServers(servers: readonly ServerObjects[]): void {
  const digests = new Set<string>()
  const shared = new Map<Kind, PartSource & { readonly of: string }>()
  for (const { audience, parts } of servers) {
    const of = JSON.stringify(audience)
    const digest = audienceDigest(audience)
    if (digests.has(digest)) {
      throw new TypeError(
        `Two servers have the audience ${of}. Give each one of its own: createEdgeway(…, { audience })`,
      )
    }
    digests.add(digest)
    for (const [kind, source] of Object.entries(parts) as [Kind, PartSource][]) {
      if (isServerKind(kind)) continue
      const first = shared.get(kind) ?? { ...source, of }
      shared.set(kind, first)
      if (JSON.stringify(first.options) === JSON.stringify(source.options)) continue
      throw new TypeError(
        `The servers ${first.of} and ${of} share the ${kind} objects, and their options for them differ. Give both the same`,
      )
    }
  }
}
