/** The annotations of a tool, which are hints and no guarantees. */
import type { Params } from '../client/endpoint.ts'

const HINTS = [
  ['readOnlyHint', 'reads only', ''],
  ['destructiveHint', 'may destroy', 'warn'],
  ['idempotentHint', 'may be repeated', ''],
  ['openWorldHint', 'reaches other systems', ''],
] as const

export function ToolHints({ definition }: { readonly definition: Params }) {
  const annotations = (definition.annotations ?? {}) as Params
  const hints = HINTS.filter(([name]) => annotations[name] === true)
  if (hints.length === 0) return null
  return (
    <ul class="hints" aria-label="Hints of the tool">
      {hints.map(([name, text, kind]) => (
        <li key={name} class={`badge ${kind}`}>
          {text}
        </li>
      ))}
    </ul>
  )
}
