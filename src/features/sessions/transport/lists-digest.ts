/**
 * A digest of the lists that a caller gets. A session that survives a deployment knows by it that they differ: nothing
 * else tells its client.
 */
import { isVisible, listedTools, sentInfo } from '../../../dispatch/access.ts'
import { fnv1a } from '../../../platform/fnv.ts'
import { perObject } from '../../../platform/per-object.ts'
import type { Definition } from '../../../server/definition.ts'
import type { DefinedExchange } from '../../../transport/exchange.ts'

/** Undefined where changes are not published: then no client was promised to learn of them. */
export function listsDigest({
  auth,
  dispatchers: { definition },
  services,
}: DefinedExchange): string | undefined {
  if (services.changes() === undefined) return undefined
  return listsOf(definition)
    .map((list) => {
      const seen = list.filter((entry) => isVisible(entry, auth))
      return seen.length === list.length ? textOf(list) : createText(seen)
    })
    .map(({ digest }) => digest)
    .join('.')
}

type Entry = Parameters<typeof isVisible>[0] & { readonly info: object }

/** In the order of `LIST_KINDS`. Resources that a template lists are in no list here. */
const listsOf = perObject(
  ({ tools, prompts, resources, templates }: Definition): readonly (readonly Entry[])[] => {
    const listed = [...resources.values()].filter(({ isListed }) => isListed)
    return [listedTools(tools), [...prompts.values()], [...listed, ...templates]]
  },
)

const createText = (list: readonly Entry[]) => ({
  digest: fnv1a(JSON.stringify(list.map((entry) => sentInfo(entry)))).toString(36),
})

const textOf = perObject(createText)
