/** What `server/discover` says. */
import type { Params } from '../client/endpoint.ts'
import { JsonTree } from '../elements/json-tree.tsx'
import { Text } from '../elements/text.tsx'

export function Introduction({ introduction }: { readonly introduction: Params }) {
  const { instructions } = introduction
  return (
    <>
      <h2 class="panel-title">server/discover</h2>
      <p class="quiet">Select a tool, a resource or a prompt to try it.</p>
      {typeof instructions === 'string' && (
        <>
          <h3>Instructions for the model</h3>
          <p class="question">
            <Text max={20_000}>{instructions}</Text>
          </p>
        </>
      )}
      <h3>Result</h3>
      <div class="message">
        <JsonTree value={introduction} label="the result" />
      </div>
    </>
  )
}
