/** A call that answered with a handle: the tools by which the model of the client goes on with it. */
import type { Params } from '../client/endpoint.ts'
import type { KeptRequest } from '../client/run-request.ts'
import { CopyButton } from '../elements/copy-button.tsx'
import { Code } from '../elements/text.tsx'
import { recordOf } from '../form/schema.ts'
import { hrefOf } from '../route.ts'
import type { Catalog, Item } from './catalog.ts'

/** The handle of a result; undefined for one without. */
export function handleOf({ _meta }: Params): string | undefined {
  const handle = recordOf(_meta)?.['dev.edgeway/handle']
  return typeof handle === 'string' ? handle : undefined
}

interface HeldCardProps {
  readonly handle: string
  readonly result: Params
  readonly catalog: Catalog
  readonly onGoOn: (kept: KeptRequest) => void
}

export function HeldCard({ handle, result, catalog, onGoOn }: HeldCardProps) {
  const next = catalog.lists.tools.filter((tool) => takes(tool, result))
  const isQuestion = next.some((tool) => !readsOnly(tool))
  const values = { handle }
  return (
    <section class="card task" aria-label="Handle">
      <h3>{isQuestion ? 'The tool asks the person' : 'The call goes on'}</h3>
      <p>
        {isQuestion
          ? 'This client cannot be asked: its model puts the question to the person, and passes the answer on.'
          : 'This client has no tasks: its model asks for the result with the handle.'}
      </p>
      <p class="task-id">
        <Code>{handle}</Code>
        <CopyButton label="the handle" text={() => handle} />
      </p>
      <div class="buttons">
        {next.map((tool) => {
          const params = { name: tool.id, arguments: values }
          const request = { endpoint: catalog.endpoint, method: 'tools/call', params, values }
          const hash = hrefOf('try', 'tools', tool.id)
          const kept = readsOnly(tool) ? { request, hash } : { request, hash, asked: result }
          return (
            <button key={tool.id} type="button" class="main" onClick={() => onGoOn(kept)}>
              {readsOnly(tool) ? 'Call' : 'Fill in'} <Code max={64}>{tool.id}</Code>
            </button>
          )
        })}
      </div>
    </section>
  )
}

/** A tool that only reads is called at once. */
function readsOnly({ definition }: Item): boolean {
  return recordOf(definition.annotations)?.readOnlyHint === true
}

/** Whether the result names the tool, and the tool takes a handle. */
function takes({ id, definition }: Item, { content }: Params): boolean {
  const properties = recordOf(recordOf(definition.inputSchema)?.properties)
  return properties?.handle !== undefined && JSON.stringify(content ?? '').includes(id)
}
