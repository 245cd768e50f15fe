/** The result of a call, a read or a prompt. */
import type { Params } from '../client/endpoint.ts'
import { JsonTree } from '../elements/json-tree.tsx'
import { Notice } from '../elements/notice.tsx'
import { membersOf } from '../traffic/exchange.ts'
import { ContentBlock } from './content-block.tsx'

export function ResultView({ result }: { readonly result: Params }) {
  const { content, contents, messages, structuredContent, isError } = result
  const resources = listOf(contents).map((resource) => ({ type: 'resource', resource }))
  return (
    <div class="result">
      {isError === true && <Notice kind="bad" title="isError: the tool reported an error" />}
      {[...listOf(content), ...resources].map((block, index) => (
        <ContentBlock key={index} block={block} />
      ))}
      {listOf(messages).map(({ role, content: block }, index) => (
        <div key={index} class="prompt-message">
          <span class="badge">{String(role)}</span>
          <ContentBlock block={membersOf(block)} />
        </div>
      ))}
      {structuredContent !== undefined && (
        <>
          <h3>Structured content</h3>
          <JsonTree value={structuredContent} label="the structured content" />
        </>
      )}
      <details class="raw">
        <summary>The whole result</summary>
        <JsonTree value={result} label="the result" />
      </details>
    </div>
  )
}

function listOf(value: unknown): readonly Params[] {
  return Array.isArray(value) ? (value as readonly unknown[]).map(membersOf) : []
}
