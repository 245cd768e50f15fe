/** The instructions that a client gets: those of the author, and what features say of the tools that they add. */
import type { Call } from '../call.ts'
import type { RevisionContext } from './method.ts'

export interface Instructions {
  readonly text: string | undefined
  /** Whether other clients get others. */
  readonly varies: boolean
}

export function instructionsFor(
  { definition }: Pick<RevisionContext, 'definition'>,
  { client, deployment }: Call,
): Instructions {
  const hints = deployment.extensions.tools.flatMap(
    ({ instructionsOf }) => instructionsOf?.(definition) ?? [],
  )
  const own = hints.flatMap((hint) => hint(client) ?? [])
  const all = [...(definition.instructions === undefined ? [] : [definition.instructions]), ...own]
  return { text: all.length === 0 ? undefined : all.join('\n\n'), varies: hints.length > 0 }
}
