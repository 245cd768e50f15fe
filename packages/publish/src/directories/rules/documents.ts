/** What the documents of a server say of it, in one form. */
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { listIn, type Members } from '../../../../text/src/json/members.ts'
import type { DirectoryInput } from '../input.ts'

export interface Described {
  /** As the subject of a sentence. */
  readonly document: string
  readonly name: string | undefined
  readonly version: string | undefined
  readonly title: string | undefined
  readonly description: string | undefined
  /** The URLs of its remotes; undefined for a document that has none. */
  readonly remotes: readonly string[] | undefined
}

/** The known documents. What is not a text is left out: its own rules report it. */
export function describedBy(input: DirectoryInput): readonly Described[] {
  const { surface, initialized, card, serverJson, plugin } = input
  const server = surface === undefined ? [] : [described('The server', surface.info, false)]
  const others = [
    { document: 'initialize', value: initialized, hasRemotes: false },
    { document: 'The Server Card', value: card, hasRemotes: true },
    { document: 'server.json', value: serverJson, hasRemotes: true },
    { document: 'plugin.json', value: plugin, hasRemotes: false },
  ]
  return [
    ...server,
    ...others.flatMap(({ document, value, hasRemotes }) =>
      isJsonObject(value) ? described(document, value, hasRemotes) : [],
    ),
  ]
}

function described(document: string, value: object, hasRemotes: boolean): Described {
  const text = (member: string) => {
    const found = (value as Members)[member]
    return typeof found === 'string' && found !== '' ? found : undefined
  }
  const urls = listIn(value, 'remotes').flatMap((remote) =>
    isJsonObject(remote) && typeof remote.url === 'string' ? remote.url : [],
  )
  return {
    document,
    name: text('name'),
    version: text('version'),
    title: text('title'),
    description: text('description'),
    remotes: hasRemotes && urls.length > 0 ? urls : undefined,
  }
}
