/** The selected item: its description, its form, and what a request for it results in. */
import { useEffect, useRef } from 'preact/hooks'
import { JsonTree } from '../elements/json-tree.tsx'
import { Code, Text } from '../elements/text.tsx'
import { recordOf } from '../form/schema.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { navigate } from '../route.ts'
import { useEscape } from '../use-escape.ts'
import type { Catalog, Item, ListName } from './catalog.ts'
import { PromptForm } from './prompt-form.tsx'
import { type Runner, type RunRequest, useRun } from './run.ts'
import { RunPanel } from './run-panel.tsx'
import { TemplateForm } from './template-form.tsx'
import { ToolHints } from './tool-hints.tsx'
import type { Selected } from './try-view.tsx'

const close = () => navigate('try')

interface ItemPanelProps {
  readonly selected: Selected
  readonly catalog: Catalog
}

export interface RequestFormProps {
  readonly item: Item
  readonly endpoint: string
  readonly isActive: boolean
  readonly onRequest: (request: Omit<RunRequest, 'endpoint'>) => void
}

export function ItemPanel({ selected: { list, item }, catalog: { endpoint } }: ItemPanelProps) {
  const runner = useRun()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  const { title, description, id } = item
  useEscape(close)
  return (
    <>
      <div class="detail-head">
        <button type="button" class="small back" onClick={close}>
          Close
        </button>
        <h2 ref={heading} tabIndex={-1}>
          <Code max={300}>{id}</Code>
          {title !== undefined && title !== id && <Text max={200}>{title}</Text>}
        </h2>
      </div>
      {description !== undefined && (
        <p class="question">
          <Text max={8000}>{description}</Text>
        </p>
      )}
      {list === 'tools' && <ToolHints definition={item.definition} />}
      <RequestForm list={list} item={item} endpoint={endpoint} runner={runner} />
      <RunPanel runner={runner} endpoint={endpoint} />
      <details class="raw">
        <summary>Definition</summary>
        <JsonTree value={item.definition} label="the definition" />
      </details>
    </>
  )
}

interface FormProps {
  readonly list: ListName
  readonly item: Item
  readonly endpoint: string
  readonly runner: Runner
}

function RequestForm({ list, item, endpoint, runner: { isActive, start } }: FormProps) {
  const onRequest = (request: Omit<RunRequest, 'endpoint'>) => start({ ...request, endpoint })
  const props: RequestFormProps = { item, endpoint, isActive, onRequest }
  switch (list) {
    case 'tools':
      return <ToolForm {...props} />
    case 'prompts':
      return <PromptForm {...props} />
    case 'templates':
      return <TemplateForm {...props} />
    case 'resources':
      return (
        <div class="buttons">
          <button
            type="button"
            class="main"
            disabled={isActive}
            onClick={() => onRequest({ method: 'resources/read', params: { uri: item.id } })}
          >
            Read
          </button>
        </div>
      )
  }
}

function ToolForm({ item: { id, definition }, isActive, onRequest }: RequestFormProps) {
  const schema = recordOf(definition.inputSchema) ?? { type: 'object' }
  return (
    <SchemaForm
      schema={schema}
      action="Call the tool"
      disabled={isActive}
      onSubmit={(args) =>
        onRequest({
          method: 'tools/call',
          params: { name: id, arguments: args },
          inputSchema: schema,
        })
      }
    />
  )
}
